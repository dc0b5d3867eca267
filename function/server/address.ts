/** `HOST:PORT`, `[IPV6]:PORT` or `:PORT`, which is every address of the machine; undefined when it is none of them. */
export function readAddress(text: string): string | undefined {
  const [, host = '', port = ''] = /^(\[[0-9a-fA-F:.%]+\]|[^:[\]]*):(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535) return undefined;
  return `${host === '' ? '[::]' : host}:${Number(port)}`;
}

export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}

/**
 * Binds with `attempt` and answers the port. `[::]` takes IPv4 as well where the kernel has IPv6; where IPv6 is switched
 * off it cannot be bound at all, and IPv4 alone is meant. Throws one sentence.
 */
export async function bind(address: string, attempt: (address: string) => Promise<number>): Promise<number> {
  try {
    return await attempt(address);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const fallback = address.replace('[::]', '0.0.0.0');
    if (fallback !== address && /EAFNOSUPPORT|EADDRNOTAVAIL/.test(cause)) return bind(fallback, attempt);
    throw new Error(`cannot listen on ${address}: ${cause}`);
  }
}
