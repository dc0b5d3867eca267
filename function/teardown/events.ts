import { Kinds } from '../core/teardown/requests.ts';
import type { Event } from '../core/teardown/step.ts';
import { type JsonObject, stringAt } from '../json.ts';
import { FIELD_MANAGER } from './api.ts';

/** An Event of core/v1 about an instance, at a time in milliseconds since 1970. */
export function eventOf(
  instance: JsonObject,
  { type, reason, message }: Event,
  time: number,
  host: string,
): JsonObject {
  const { apiVersion, kind } = Kinds.Instance;
  const text = (name: string) => stringAt(instance, 'metadata', name) ?? '';
  const timestamp = new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${text('name')}.`, namespace: text('namespace') },
    involvedObject: {
      apiVersion,
      kind,
      namespace: text('namespace'),
      name: text('name'),
      uid: text('uid'),
      resourceVersion: text('resourceVersion'),
    },
    type,
    reason,
    // The API server takes no more (core/v1 Event validation).
    message: message.slice(0, 1024),
    source: { component: FIELD_MANAGER },
    reportingComponent: FIELD_MANAGER,
    reportingInstance: host,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
    count: 1,
  };
}
