// @module-tag long-on-postgres
// The settings that packages and compose files bring: a server with them proves what it stores.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { eachApp } from '../../../test/support/each-app.ts';
import { stopPostgres } from '../../../test/support/postgres.ts';
import { exportProof, verifyOnline } from '../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../test/support/uploads.ts';

afterAll(stopPostgres);

const pathOf = (name: string): string => fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url));

type Compose = { readonly services: { readonly server: { readonly environment: Readonly<Record<string, string>> } } };

/** What a compose file sets besides the addresses of services. */
function toEnv(name: string): Record<string, string> {
  const { environment } = (parse(readFileSync(pathOf(name), 'utf8')) as Compose).services.server;
  return Object.fromEntries(Object.entries(environment).filter(([key]) => /PROFILE|ATTESTATION/.test(key)));
}

const brought = {
  'the Debian package': { RECORDPROOF_CONFIG: pathOf('systemd/recordproof.yaml') },
  'compose.yaml': toEnv('docker/compose.yaml'),
  'compose.services.yaml': toEnv('docker/compose.services.yaml'),
};

eachApp(start => {
  test.each(Object.entries(brought))('a file stored with the settings of %s gets a valid proof', async (_name, env) => {
    await using app = await start({ env });
    const ada = await app.person('ada');
    const original = randomBytes(3000);
    const { fileId } = await storeProxied(ada, original);
    await app.drain();
    app.clock.advance(11 * 60_000); // a batch that is not full waits for ten minutes
    await app.drain();
    const archive = await exportProof(ada, fileId);
    expect((await verifyOnline({ app, archive, original })).outcome).toBe('VALID');
  });
});
