// @module-tag long-on-postgres
// Metrics of key wrapping and of suites per read, write and rejection.
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { parseMetrics } from '../../../../test/support/prometheus.ts';
import { fetchShared, share } from '../../../../test/support/shares.ts';
import { completeDirect, sendDirect, storeProxied } from '../../../../test/support/uploads.ts';

test('key wrapping is timed, and suites are counted per read and write, with rejections', async () => {
  await using app = await startApp({ env: { RECORDPROOF_OPEN_METRICS: 'true' } });
  const ada = await app.person('ada');
  const count = async (name: string, labels: string): Promise<number | undefined> => {
    const families = parseMetrics(await (await app.anonymous.fetch('/actuator/prometheus')).text());
    return families.get(name.replace(/_count$/, ''))?.samples.get(`${name}{${labels}}`);
  };
  const timed = 'app_file_key_wrapping_duration_seconds_count';
  const decided = 'app_crypto_suite_decision_total';
  const decision = (operation: string, outcome: string, reason: string) =>
    count(decided, `type="CONTENT_ENCRYPTION",operation="${operation}",outcome="${outcome}",reason="${reason}"`);
  const tried = (await count(timed, 'operation="wrap",failure_category="NONE"')) ?? 0;
  expect(tried).toBe(1); // at the start
  expect(await count(timed, 'operation="unwrap",failure_category="KEY_NOT_FOUND"')).toBe(0);

  const bytes = await pattern(10_000);
  const sealed = await storeProxied(ada, bytes);
  const { clientId } = await sendDirect(ada, bytes, { chunkSize: 10_000 });
  const plain = await completeDirect(ada, clientId);
  await app.drain();
  expect(await count(timed, 'operation="wrap",failure_category="NONE"')).toBeGreaterThanOrEqual(tried + 2);
  expect(await decision('write', 'allowed', 'NONE')).toBe(2);
  const download = async (fileHash: string) => (await ada.fetch(`/api/v1/files/${fileHash}/download`)).status;
  const before = (await count(timed, 'operation="unwrap",failure_category="NONE"')) ?? 0;
  expect([await download(sealed.fileHash), await download(plain.fileHash)]).toEqual([200, 200]);
  expect(await decision('read', 'allowed', 'NONE')).toBe(2);
  expect(await count(timed, 'operation="unwrap",failure_category="NONE"')).toBe(before + 1);

  const { shareCode } = await share(ada, sealed.fileHash);
  const reads = (await decision('read', 'allowed', 'NONE')) ?? 0;
  expect((await fetchShared(app.anonymous, shareCode, sealed.fileHash)).status).toBe(200);
  expect(await decision('read', 'allowed', 'NONE')).toBe(reads + 1);

  const { db } = app.app.database;
  await db.updateTable('file').set({ encryption: 'OTHER-V9' }).where('file_hash', '=', sealed.fileHash).execute();
  expect(await download(sealed.fileHash)).toBeGreaterThanOrEqual(400);
  expect(await decision('read', 'refused', 'UNKNOWN_SUITE')).toBe(1);
});
