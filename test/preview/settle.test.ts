import { describe, expect, test } from 'vitest';
import { settle } from '../../function/preview/settle.ts';
import {
  Ready,
  type Requirements,
  type Result,
  type RunFunctionRequest,
  type RunFunctionResponse,
  Severity,
  Target,
} from '../../function/wire/messages.ts';

const EARLIER = { composite: undefined, compositeRest: new Uint8Array(), names: [], entries: [] };

const REQUEST: RunFunctionRequest = {
  tag: '',
  capabilities: new Set(),
  composite: undefined,
  resources: new Map(),
  desired: EARLIER,
  input: undefined,
  context: undefined,
  requiredResources: new Map(),
  requiredSchemas: new Map(),
  credentials: new Map(),
};

function asks(...names: string[]): Requirements {
  const selector = (name: string) => [name, { apiVersion: 'v1', kind: 'Secret', matchName: name }] as const;
  return { resources: new Map(names.map(selector)), schemas: new Map() };
}

function answer(requirements: Requirements, results: readonly Result[] = []): RunFunctionResponse {
  return {
    tag: '',
    ttlSeconds: 60,
    desired: { composite: undefined, compositeReady: Ready.Unspecified, resources: new Map(), earlier: EARLIER },
    results,
    context: undefined,
    requirements,
    conditions: [],
  };
}

/** Answers in turn, the last one for ever; counts the calls. */
async function run(...answers: RunFunctionResponse[]) {
  let calls = 0;
  const call = async () => {
    const response = answers[Math.min(calls, answers.length - 1)];
    calls++;
    if (response === undefined) throw new Error('no answer');
    return response;
  };
  const outcome = await settle(REQUEST, call, (request) => request).catch((error: unknown) => error);
  return { outcome, calls };
}

describe('calls until the requirements settle', () => {
  test('one when nothing is asked for', async () => {
    expect(await run(answer(asks()))).toEqual({ outcome: answer(asks()), calls: 1 });
  });

  test('a second with what is asked for, in whatever order it is asked the next time', async () => {
    const last = answer(asks('b', 'a'));
    expect(await run(answer(asks('a', 'b')), last)).toEqual({ outcome: last, calls: 2 });
  });

  test('more when more is asked for', async () => {
    const { calls } = await run(answer(asks('a')), answer(asks('a', 'b')));
    expect(calls).toBe(3);
  });

  test('no more after a fatal result', async () => {
    const fatal = answer(asks('a'), [{ severity: Severity.Fatal, message: 'No', target: Target.Composite }]);
    expect(await run(fatal)).toEqual({ outcome: fatal, calls: 1 });
  });

  test('at most six, then an error', async () => {
    const { outcome, calls } = await run(...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => answer(asks(name))));
    expect(calls).toBe(6);
    expect(outcome).toEqual(new Error('the function still asks for other resources after 5 more calls'));
  });
});
