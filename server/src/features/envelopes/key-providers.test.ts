// @module-tag long-on-postgres
// Change of the key provider: new keys use the new one, and old envelopes still open.
import { randomBytes } from 'node:crypto';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { startTransitDouble, type TransitDouble } from '../../../../test/support/transit-double.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';

const token = 'hvs.a-token-of-a-test';
const reaching = ({ address }: TransitDouble) => ({
  RECORDPROOF_VAULT_ADDRESS: address,
  RECORDPROOF_VAULT_KEY: 'files',
  RECORDPROOF_VAULT_TOKEN: token,
});

async function download(person: Person, fileHash: string): Promise<Buffer> {
  const answer = await person.fetch(downloadFile.path.replace('{hash}', fileHash));
  return Buffer.from(await answer.arrayBuffer());
}

const listProviders = async ({ app }: TestApp) => {
  const rows = await app.database.db.selectFrom('envelope').select('provider').orderBy('id').execute();
  return rows.map(row => row.provider);
};

eachApp(start => {
  test('the configured provider wraps new keys; the previous one still unwraps its own', async () => {
    await using vault = await startTransitDouble(token);
    vault.addKey('files');
    await using app = await start();
    const ada = await app.person('ada');
    const before = randomBytes(3000);
    const { fileHash: older } = await storeProxied(ada, before);
    await app.app[Symbol.asyncDispose]();

    const env = { ...(app.config.db.kind === 'postgres' ? { DATABASE_URL: app.config.db.url.reveal() } : {}) };
    await using next = await start({
      folder: app.folder,
      env: { ...env, ...reaching(vault), RECORDPROOF_KEY_PROVIDER: 'vault-transit' },
    });
    const again = await next.person('bob');
    const after = randomBytes(3000);
    const { fileHash: newer } = await storeProxied(again, after);
    expect(await listProviders(next)).toEqual(['local', 'vault-transit']);
    expect((await download(again, newer)).equals(after)).toBe(true);
    const answer = await fetch(next.app.url + downloadFile.path.replace('{hash}', older), {
      headers: { authorization: `Bearer ${ada.token}` },
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(before)).toBe(true);
  });
});
