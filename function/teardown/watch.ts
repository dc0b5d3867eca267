import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, stringAt } from '../json.ts';
import type { Listed } from './api.ts';
import { type ApiError, hasStatus, unanswered, WatchGap } from './errors.ts';
import { type Item, itemOf } from './item.ts';
import { OPENED, type WatchEvent } from './stream.ts';

/** Where instances are told of. */
export interface Source {
  readonly list: () => Promise<Listed>;
  readonly watch: (resourceVersion: string) => AsyncIterable<WatchEvent>;
}

/** Who is told of them. */
export interface Sink {
  /** these are all there are */
  readonly sync: (items: readonly Item[]) => void;
  readonly changed: (item: Item) => void;
  readonly gone: (item: Item) => void;
}

/** How the watch is; each is told again and again while it lasts. */
export interface WatchNews {
  readonly listed: () => void;
  readonly watching: () => void;
  readonly notServed: () => void;
  readonly failed: (error: ApiError) => void;
  readonly restarted: () => void;
}

export interface WatchLimits {
  /** before the second attempt; doubles up to the cap, in milliseconds */
  readonly base: number;
  readonly cap: number;
}

/** Lists, then watches from there, for ever: across lost connections, expired versions and a kind that is not there yet. */
export async function follow(
  source: Source,
  sink: Sink,
  news: WatchNews,
  limits: WatchLimits,
  stop: AbortSignal,
): Promise<void> {
  let version: string | undefined;
  /** attempts in a row that brought nothing */
  let fruitless = 0;
  while (!stop.aborted) {
    try {
      if (version === undefined) {
        const listed = await source.list();
        sink.sync(itemsOf(listed.items));
        version = listed.resourceVersion;
        news.listed();
      }
      for await (const event of source.watch(version)) {
        if (event === OPENED) {
          news.watching();
          continue;
        }
        fruitless = 0;
        version = stringAt(event.object, 'metadata', 'resourceVersion') ?? version;
        tell(sink, event);
      }
    } catch (error) {
      if (stop.aborted) return;
      const cause = unanswered(error);
      // 410: the version is too old. 404: the kind is gone, or not there yet.
      if (cause instanceof WatchGap || hasStatus(cause, 404, 410)) version = undefined;
      if (hasStatus(cause, 404)) {
        sink.sync([]);
        news.notServed();
      } else if (!hasStatus(cause, 410) && cause.reason !== 'Silent') news.failed(cause);
    }
    fruitless++;
    news.restarted();
    await pause(fruitless > 1 ? Math.min(limits.cap, limits.base * 2 ** Math.min(fruitless - 2, 20)) : 0, stop);
  }
}

function tell(sink: Sink, { type, object }: WatchEvent): void {
  const item = itemOf(object);
  if (item === undefined) return;
  if (type === 'ADDED' || type === 'MODIFIED') sink.changed(item);
  else if (type === 'DELETED') sink.gone(item);
}

function itemsOf(objects: readonly JsonObject[]): readonly Item[] {
  return objects.flatMap((object) => itemOf(object) ?? []);
}

async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}
