// Index of ledger subjects by their last position, with 20,000 entries.
import { expect, test } from 'vitest';
import { SeenSubjects } from './seen-subjects.ts';

test('each of many subjects is found at its last position, and no other is', { tags: 'long' }, () => {
  const seen = new SeenSubjects();
  const count = 20_000;
  for (let at = 0; at < count; at++) seen.set('FILE_RECORD', `record ${at}`, at, at % 7);
  for (let at = 0; at < count; at += 3) seen.set('FILE_RECORD', `record ${at}`, count + at, 9);
  for (let at = 0; at < count; at++) {
    const expected = at % 3 === 0 ? { position: count + at, note: 9 } : { position: at, note: at % 7 };
    expect(seen.find('FILE_RECORD', `record ${at}`)).toEqual(expected);
  }
  expect(seen.find('BATCH_ROOT', 'record 1')).toBeUndefined();
  expect(seen.find('FILE_RECORD', `record ${count}`)).toBeUndefined();
});
