import { FINALIZER } from '../../function/core/keys.ts';
import { type JsonObject, listAt, stringAt } from '../../function/json.ts';
import { until } from '../server/process.ts';
import { ApiServer, type Received } from './api.server.ts';
import { addControllers, INSTANCES } from './plan.ts';

/** A cluster whose other controllers do their part. */
export async function cluster(): Promise<ApiServer> {
  const server = await new ApiServer().start();
  addControllers(server);
  return server;
}

export function instanceAt(server: ApiServer, name: string): JsonObject | undefined {
  return server.store.at(INSTANCES, name, 'team-a');
}

export function messageOf(server: ApiServer, name: string): string | undefined {
  return stringAt(instanceAt(server, name), 'status', 'message');
}

export async function held(server: ApiServer, ...names: string[]): Promise<void> {
  const isHeld = (name: string) => listAt(instanceAt(server, name), 'metadata', 'finalizers').includes(FINALIZER);
  await until(`finalizer on ${names.join(', ')}`, () => names.every(isHeld) || undefined);
}

export async function gone(server: ApiServer, ...names: string[]): Promise<void> {
  await until(
    `end of ${names.join(', ')}`,
    () => names.every((name) => instanceAt(server, name) === undefined) || undefined,
  );
}

export async function shown(server: ApiServer, name: string, message: string): Promise<void> {
  await until(`message ${message}`, () => messageOf(server, name) === message || undefined);
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** `delete v1/namespaces host-blue` */
export function titleOf({ verb, resource, name, subresource }: Received): string {
  return [verb, resource, name, subresource].filter(Boolean).join(' ');
}
