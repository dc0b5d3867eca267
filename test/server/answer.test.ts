import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { answer, type Call } from '../../function/server/answer.ts';
import { logCall } from '../../function/server/log.ts';
import { INSTANCE, readResponse, requestBytes } from './messages.ts';

const SENTINEL = 'S3NTINEL';

vi.mock('../../function/core/run.ts', () => ({
  runFunction() {
    throw new TypeError(`cannot read ${SENTINEL}`);
  },
}));

const clock = { now: () => 0, monotonic: () => 0 };

function logLines(call: Call): Record<string, unknown>[] {
  const lines: string[] = [];
  logCall(pino({ base: null }, { write: (line) => lines.push(line) }), call);
  return lines.map((line) => JSON.parse(line));
}

describe('a defect of the function', () => {
  const answered = answer(requestBytes({ tag: 'abc', composite: INSTANCE }), clock);

  test('is answered with a fatal result that tells nothing of the request', () => {
    const response = 'response' in answered ? answered.response : undefined;
    expect(readResponse(response)).toEqual({
      meta: expect.objectContaining({ tag: 'abc' }),
      desired: expect.anything(),
      results: [{ severity: 1, message: 'cannot compose the instance: internal error' }],
    });
    expect(String(response)).not.toContain(SENTINEL);
  });

  test('is logged as an error by its name and where it was, without its text', () => {
    const [line, ...others] = logLines(answered.call);
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      level: 50,
      msg: 'cannot compose the instance',
      namespace: 'team-a',
      name: 'blue',
      error: 'TypeError',
      frames: expect.arrayContaining([expect.stringMatching(/^at .*answer/)]),
    });
    expect(JSON.stringify(line)).not.toContain(SENTINEL);
  });
});
