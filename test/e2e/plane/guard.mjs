// Ends what the tests started once their main process is gone, however it went: its standard input closes then.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const GRACE_MS = 5000;
const [folder] = process.argv.slice(2);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.resume().on('close', () => void end());

async function end() {
  const groups = groupsOf(join(folder, 'processes'));
  for (const group of groups) send(group, 'SIGTERM');
  for (let waited = 0; waited < GRACE_MS && groups.some(isAlive); waited += 100) await wait(100);
  for (const group of groups) send(group, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}

function groupsOf(records) {
  if (!existsSync(records)) return [];
  return readdirSync(records).map((name) => JSON.parse(readFileSync(join(records, name), 'utf8')).pid);
}

function isAlive(group) {
  return send(group, 0);
}

function send(group, signal) {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
