import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `UPDATE_GOLDEN=1 npx vitest run test/golden` writes what is compared otherwise. */
export const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

const FOLDER = fileURLToPath(new URL('../../examples', import.meta.url));

export function exampleNames(): readonly string[] {
  return readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'xr.yaml')));
}

/** The path of a file of an example, as somebody in the repository's folder would type it. */
export function examplePath(name: string, ...path: readonly string[]): string {
  return relative(process.cwd(), join(FOLDER, name, ...path));
}

export function readFiles(name: string, folders: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const whole = join(FOLDER, name, folder);
    if (!existsSync(whole)) continue;
    for (const file of readdirSync(whole, { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.yaml')) files.set(join(folder, file), readFileSync(join(whole, file), 'utf8'));
    }
  }
  return files;
}

export function writeFiles(name: string, folders: readonly string[], files: ReadonlyMap<string, string>): void {
  for (const folder of folders) rmSync(join(FOLDER, name, folder), { recursive: true, force: true });
  for (const [path, text] of files) {
    const whole = join(FOLDER, name, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }
}

/** The text of a golden file; an update writes it first. */
export function golden(name: string, file: string, text: string): string {
  const whole = join(FOLDER, name, file);
  if (isUpdate) writeFileSync(whole, text);
  return existsSync(whole) ? readFileSync(whole, 'utf8') : '';
}
