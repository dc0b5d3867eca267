import { runFunction } from '../../function/core/run.ts';
import { encodeRequest } from '../../function/wire/caller/request.ts';
import { decodeRequest } from '../../function/wire/request.ts';
import { encodeResponse } from '../../function/wire/response.ts';
import { MINIMAL, World } from '../core/world.ts';
import { fixtures } from './fixtures.ts';

/** Decoding may take this many times as long as JSON.parse of the same data, in the same run. */
const LIMIT = 2.5;
const ROUNDS = 9;
const ROUND_MS = 60;

/** Milliseconds of one call, over enough calls to be seen. */
function time(work: () => unknown): number {
  let calls = 0;
  const started = performance.now();
  while (performance.now() - started < ROUND_MS || calls === 0) {
    work();
    calls += 1;
  }
  return (performance.now() - started) / calls;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

print('size      decode ms  JSON.parse ms  ratio');
let isOver = false;
for (const { name, bytes, json } of fixtures()) {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    decode: time(() => decodeRequest(bytes)),
    parse: time(() => JSON.parse(json)),
  }));
  const ratio = median(rounds.map(({ decode, parse }) => decode / parse));
  isOver ||= ratio > LIMIT;
  const cells = [median(rounds.map(({ decode }) => decode)), median(rounds.map(({ parse }) => parse)), ratio];
  print(
    [name.padEnd(8), ...cells.map((cell, index) => cell.toFixed(index === 2 ? 2 : 3).padStart(9 + index * 2))].join(
      ' ',
    ),
  );
}

const world = World.ready(MINIMAL);
const request = Buffer.from(encodeRequest(world.request(world.ask().requirements)));
const call = median(
  Array.from({ length: ROUNDS }, () =>
    time(() => encodeResponse(runFunction(decodeRequest(request), world.now * 1000))),
  ),
);
print(`a whole call of a Ready instance (${Math.round(request.length / 1024)} KB): ${Math.round(call * 1000)} µs`);
if (isOver) {
  process.stderr.write(`decoding is over ${LIMIT} times JSON.parse\n`);
  process.exitCode = 1;
}
