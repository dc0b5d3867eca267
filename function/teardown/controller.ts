import { hostname } from 'node:os';
import { Kinds } from '../core/teardown/requests.ts';
import type { Logger } from '../server/log.ts';
import { createApi, listAll } from './api.ts';
import { createChanges } from './changes.ts';
import type { Connection } from './connection.ts';
import type { Core } from './core.ts';
import { type Item, keyOf } from './item.ts';
import type { TeardownMetrics } from './metrics.ts';
import { createPass } from './pass.ts';
import { collectionPath } from './paths.ts';
import { createQueue, type QueueLimits } from './queue.ts';
import { createReport } from './report.ts';
import { eventsFrom, type StreamLimits } from './stream.ts';
import { follow, type Sink, type WatchLimits, type WatchNews } from './watch.ts';

export interface ControllerLimits {
  readonly queue: QueueLimits;
  readonly watch: WatchLimits;
  readonly stream: StreamLimits;
}

export interface Controller {
  /** the API server has told which instances there are */
  readonly isReady: () => boolean;
  /** resolves when `stop` was aborted and the passes have ended */
  readonly ended: Promise<void>;
}

/** Where the instances are, for as long as they are: fed by the watch, read by the metrics. */
export type Known = Map<string, Item>;

/** Only names and versions cross the wire: what an instance holds is read when it is worked on. */
const METADATA = 'g=meta.k8s.io;v=v1';
const ACCEPT_LIST = `application/json;as=PartialObjectMetadataList;${METADATA},application/json`;
const ACCEPT_WATCH = `application/json;as=PartialObjectMetadata;${METADATA},application/json`;

/** Watches the instances of all namespaces and works on them until told to stop. */
export function startController(
  core: Core,
  connection: Connection,
  limits: ControllerLimits,
  known: Known,
  { log, metrics, stop }: { readonly log: Logger; readonly metrics: TeardownMetrics; readonly stop: AbortSignal },
): Controller {
  const context = { core, api: createApi(connection), now: Date.now, stop, host: hostname() };
  const queue = createQueue((item) => {
    const pass = createPass(item, context, createReport(item, log, metrics));
    return async () => {
      const outcome = await pass();
      metrics.passed(outcome.next);
      log.debug({ instance: keyOf(item), ...outcome }, 'looked');
      return outcome;
    };
  }, limits.queue);

  const sink: Sink = {
    sync(items) {
      const listed = new Set(items.map(({ uid }) => uid));
      for (const item of known.values()) if (!listed.has(item.uid)) sink.gone(item);
      for (const item of items) known.set(keyOf(item), item);
      for (const item of items) queue.add(item, true);
    },
    changed(item) {
      known.set(keyOf(item), item);
      queue.add(item);
    },
    gone(item) {
      if (known.get(keyOf(item))?.uid === item.uid) known.delete(keyOf(item));
      queue.remove(item);
    },
  };

  const instances = { ...Kinds.Instance, labels: {} };
  const path = collectionPath(Kinds.Instance);
  const source = {
    list: () => listAll(connection, instances, ACCEPT_LIST),
    watch: (version: string) => eventsFrom(connection, path, version, ACCEPT_WATCH, limits.stream, stop),
  };
  let isReady = false;
  const news = watchNews(log, metrics, known, () => {
    isReady = true;
  });
  const followed = follow(source, sink, news, limits.watch, stop);
  return { isReady: () => isReady && !stop.aborted, ended: followed.then(() => queue.stop()) };
}

/** One line for each change of state. */
function watchNews(log: Logger, metrics: TeardownMetrics, known: Known, answered: () => void): WatchNews {
  const states = createChanges();
  return {
    listed: answered,
    watching: () => states.say('watching', () => log.info({ instances: known.size }, 'watching')),
    notServed() {
      answered();
      states.say('not served', () => log.info('PlatformInstances are not served yet'));
    },
    failed({ message, reason }) {
      states.say(message, () => log.warn({ cause: message, reason }, 'cannot watch, trying again'));
    },
    restarted: () => metrics.watchRestarted(),
  };
}
