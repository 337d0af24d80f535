// The server as a process with one administrator and generous rate limits.

import { memoryFlags } from '@recordproof/shared/node/launch/memory-flags.mjs';
import { Person } from './app.ts';
import { generousRates } from './installation.ts';
import { startServerProcess } from './server-process.ts';

const admin = { username: 'alice', email: 'alice@example.org', password: 'correct horse battery' };

export async function startBenchServer(folder: string, settings: Readonly<Record<string, string>> = {}) {
  const env = {
    ...generousRates,
    RECORDPROOF_ADMIN_USERNAME: admin.username,
    RECORDPROOF_ADMIN_EMAIL: admin.email,
    RECORDPROOF_ADMIN_PASSWORD: admin.password,
    FILES_MAX_BYTES: String(2 ** 40),
    QUOTA_MODE: 'SHADOW',
    ...settings,
  };
  const server = await startServerProcess({ folder, env, nodeFlags: memoryFlags });
  const alice = new Person('alice', server.url);
  await alice.login(admin.username, admin.password);
  return { server, alice };
}

export type BenchServer = Awaited<ReturnType<typeof startBenchServer>>;
