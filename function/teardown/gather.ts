import type { Found, Request } from '../core/teardown/requests.ts';
import type { JsonObject } from '../json.ts';
import type { Api } from './api.ts';
import type { Core } from './core.ts';

type Answer = JsonObject | undefined | readonly JsonObject[];

/** Names follow from what was found before, at most a few times over. */
const ROUNDS = 10;

/** Everything that the plan asks for. Throws the ApiError of the first lookup that failed. */
export async function gather(core: Core, api: Api, instance: JsonObject): Promise<Found> {
  const found = new Map<string, Answer>();
  for (let round = 0; round < ROUNDS; round++) {
    const requests = core.lookups(instance, found);
    if (requests.length === 0) return found;
    const answers = await Promise.allSettled(requests.map((request) => look(api, request)));
    for (const [index, { id }] of requests.entries()) {
      const answer = answers[index];
      if (answer?.status === 'rejected') throw answer.reason;
      found.set(id, answer?.value);
    }
  }
  throw new Error('lookups do not end');
}

function look(api: Api, request: Request): Promise<Answer> {
  return 'get' in request ? api.read(request.get) : api.list(request.list);
}
