// The sweep over all drop links: one that fails leaves the others alone.
import { expect, test } from 'vitest';
import { pattern } from '../../../../test/support/bytes.ts';
import { createDrop, dropPorts, enter, toDropFile } from '../../../../test/support/drops.ts';
import { eachApp } from '../../../../test/support/each-app.ts';

eachApp(start => {
  test('an arrival that cannot be completed and an owner that cannot be mailed do not stop mails to others', async () => {
    await using app = await start();
    const { db } = app.app.database;
    for (const name of ['alice', 'bob', 'carl']) {
      const link = await createDrop(await app.person(name), { path: 'In' });
      await (await enter(dropPorts(app.app.url, link.code))).send(toDropFile(await pattern(5000), 'a.pdf'));
      if (name === 'alice') {
        const unfinished = { receipt: null, file_id: null, received_at: null };
        await db.updateTable('drop_arrival').set(unfinished).where('link_id', '=', Number(link.id)).execute();
        await db.updateTable('drop_sender').set({ fields: '{' }).where('link_id', '=', Number(link.id)).execute();
      }
    }
    await db.updateTable('account').set({ email: 'nowhere' }).where('username', '=', 'bob').execute();
    for (let round = 0; round < 3; round += 1) {
      app.clock.advance(120_000);
      await app.drain();
    }
    const subjects = (await app.mailsTo('carl@example.org')).map(({ subject }) => subject);
    expect(subjects).toContain('A file arrived: Exam papers');
    const due = await db.selectFrom('drop_link').select('mail_at').where('mail_at', 'is not', null).execute();
    expect(due).toEqual([]);
  });
});
