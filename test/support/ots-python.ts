// OpenTimestamps files as the public Python library reads them.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const otsLibrary = '/usr/lib/python3/dist-packages/opentimestamps/__init__.py';
const script = fileURLToPath(new URL('../vectors/read_ots.py', import.meta.url));

type Read = { error: string } | { digest: string; claims: string[][]; written: string | null };

export function readByPython(files: readonly Uint8Array[]): Read[] {
  const input = files.map(file => `${Buffer.from(file).toString('base64')}\n`).join('');
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-B', script], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}
