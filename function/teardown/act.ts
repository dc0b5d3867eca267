import { type Action, actionKey, type Failure } from '../core/teardown/step.ts';
import type { Api } from './api.ts';
import { ApiError, hasStatus } from './errors.ts';

/** How an action ended. */
export type Result =
  | { readonly result: 'done' }
  /** what was to be deleted is gone already */
  | { readonly result: 'gone' }
  /** it is not as it was seen: look again */
  | { readonly result: 'conflict' }
  /** the API server says no */
  | { readonly result: 'refused'; readonly failure: Failure; readonly error: ApiError };

/** Does actions of one instance and knows which ended in a conflict before. Throws an ApiError when there is no answer. */
export function createActor(api: Api): (action: Action) => Promise<Result> {
  let conflicting: string | undefined;
  return async (action) => {
    const attempt = `${actionKey(action)} ${action.verb === 'create' ? '' : action.object.resourceVersion}`;
    const before = conflicting;
    conflicting = undefined;
    try {
      await perform(api, action);
      return { result: 'done' };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 0) throw error;
      if (action.verb === 'delete' && error.status === 404) return { result: 'gone' };
      const isConflict = error.status === 409 || (action.verb === 'patch' && hasStatus(error, 404));
      // Webhooks answer 409 as well (Crossplane's Usage): when what was seen anew is the same, it is no other version's fault.
      if (isConflict && attempt !== before) {
        conflicting = attempt;
        return { result: 'conflict' };
      }
      return { result: 'refused', failure: { key: actionKey(action), message: error.message }, error };
    }
  };
}

async function perform(api: Api, action: Action): Promise<void> {
  if (action.verb === 'delete') await api.remove(action.object);
  else if (action.verb === 'patch') await api.patch(action.object, action.change);
  else await api.create(action.object, action.manifest);
}
