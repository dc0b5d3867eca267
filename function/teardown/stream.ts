import { isObject, type JsonObject, stringAt } from '../json.ts';
import type { Connection } from './connection.ts';
import { ApiError, errorOfEvent, unanswered, WatchGap } from './errors.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

export interface StreamLimits {
  /** the API server is asked to end a watch after that long, in milliseconds */
  readonly lifetime: number;
  /** how soon it has to begin */
  readonly opening: number;
  /** a watch without a sound, not even a bookmark, for that long is given up */
  readonly silence: number;
}

/** Said first, when the API server has taken the watch on. */
export const OPENED: WatchEvent = { type: 'OPENED', object: {} };

/** An event holds one object, and etcd takes none above 1.5 MB. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** The events of one watch, until its end. Bookmarks are among them; an ERROR event is thrown. */
export async function* eventsFrom(
  connection: Connection,
  path: string,
  resourceVersion: string,
  accept: string,
  limits: StreamLimits,
  stop: AbortSignal,
): AsyncGenerator<WatchEvent> {
  const controller = new AbortController();
  const end = () => controller.abort();
  stop.addEventListener('abort', end, { once: true });
  let bound = limits.opening;
  let timer = setTimeout(end, bound);
  const rest = () => {
    clearTimeout(timer);
    bound = limits.silence;
    timer = setTimeout(end, bound);
  };
  try {
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(Math.max(1, Math.round(limits.lifetime / 1000))),
    };
    const answer = await connection.open({ method: 'GET', path, query, accept }, controller.signal);
    rest();
    yield OPENED;
    for await (const line of linesOf(answer)) {
      rest();
      const event: unknown = JSON.parse(line);
      if (!isObject(event) || !isObject(event['object'])) throw new SyntaxError('no event');
      if (event['type'] === 'ERROR') throw errorOfEvent(event['object']);
      yield { type: stringAt(event, 'type') ?? '', object: event['object'] };
    }
  } catch (error) {
    if (stop.aborted) return;
    if (controller.signal.aborted) throw new ApiError(0, 'Silent', `no event within ${bound / 1000} s`);
    throw error instanceof SyntaxError ? new WatchGap(0, 'Malformed', 'the watch sent no event') : unanswered(error);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', end);
    end();
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new SyntaxError('endless line');
    for (const line of lines) if (line.trim() !== '') yield line;
  }
}
