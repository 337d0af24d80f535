// A new signing key on two servers that share PostgreSQL, each with its own key folder: it is used once both have its
// file, also when two administrators rotate at the same time.
import { copyFile, cp, mkdir, mkdtempDisposable, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rotateSigning } from '@recordproof/server/commands/keys.ts';
import { countServersWithoutSigningKey } from '@recordproof/server/compose/announce-keys.ts';
import { listSigningKeyFiles, openLocalSigningKeys } from '@recordproof/server/features/proofs/index.ts';
import { afterAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { exportProof, laptop, openProof } from '../support/real-proofs.ts';
import { sendFile } from '../support/uploads.ts';

afterAll(stopPostgres);

async function startTwo(folder: string) {
  const { url } = await (await postgres()).freshDatabase();
  const env = { ...laptop, DATABASE_URL: url, RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true' };
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const one = await startApp({ env, folder: first });
  await (await one.person('first-signer')).fetch('/api/v1/proof-keys');
  await mkdir(second);
  await cp(join(first, 'keys'), join(second, 'keys'), { recursive: true });
  await symlink(join(first, 'objects'), join(second, 'objects'));
  return { one, two: await startApp({ env, folder: second }) };
}

const rotate = async ({ app, config, clock }: TestApp) => {
  const { db } = app.database;
  const keys = openLocalSigningKeys({ db, folder: config.keysFolder, clock });
  return (await rotateSigning({ db, config, keys })).json;
};

const newFile = ({ config }: TestApp): string => join(config.keysFolder, 'proof-signing-2.pem');

/** Resolves once that many running servers lack the newest key of this folder. */
async function untilLacking({ app, config }: TestApp, wanted: number): Promise<void> {
  const key = (await listSigningKeyFiles(config.keysFolder)).find(({ version }) => version === 2);
  if (key === undefined) throw new Error('no key was published');
  const lacking = async () => (await countServersWithoutSigningKey(app.database.db, key)).without;
  await expect.poll(lacking, { timeout: 60_000 }).toBe(wanted);
}

test('a new key signs only after both servers have loaded it; of two new keys the common one signs', {
  tags: 'long',
}, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'recordproof-two-'));
  const { one, two } = await startTwo(folder.path);
  await using _one = one;
  await using _two = two;
  const ada = await one.person('ada');
  const there = new Person('ada', two.app.url, ada.token);
  const signedBy = async (app: TestApp, person: Person, seed: number): Promise<number> => {
    const { data } = await sendFile(person, await pattern(3000, seed), `${seed}.bin`);
    await app.drain();
    return openProof(await exportProof(person, data.fileId)).manifest.signature.keyVersion;
  };
  expect(await signedBy(one, ada, 1)).toBe(1);
  await rm(newFile(two), { force: true });

  const published = await Promise.all([rotate(one), rotate(two)]);
  expect(published).toMatchObject([
    { version: 2, status: 'NEW' },
    { version: 2, status: 'NEW' },
  ]);
  await untilLacking(one, 1);
  await untilLacking(two, 1);
  expect([await rotate(one), await rotate(two)]).toMatchObject([{ status: 'NEW' }, { status: 'NEW' }]);
  expect(await signedBy(two, there, 2)).toBe(1);

  await copyFile(newFile(one), newFile(two));
  await untilLacking(one, 0);
  expect(await rotate(two)).toMatchObject({ version: 2, status: 'ACTIVE' });
  expect([await signedBy(one, ada, 3), await signedBy(two, there, 4)]).toEqual([2, 2]);
});
