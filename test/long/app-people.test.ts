// Journeys of people in the app, in a real browser: shares by code, friends, files for them, messages, announcements,
// tickets. All names and texts contain markup that must not be interpreted.
import { updateProfile } from '@recordproof/shared/api/accounts.ts';
import { createAnnouncement, publishAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { logout } from '@recordproof/shared/api/auth.ts';
import { createDropLink, updateDropLink } from '@recordproof/shared/api/drop-links.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { listAllFriends, sendFriendRequest } from '@recordproof/shared/api/friends.ts';
import type { StoredImage } from '@recordproof/shared/api/images.ts';
import { listConversations, sendMessage } from '@recordproof/shared/api/messages.ts';
import { openShare } from '@recordproof/shared/api/share-access.ts';
import { shareTypes } from '@recordproof/shared/api/shares.ts';
import { listTickets } from '@recordproof/shared/api/tickets.ts';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { type AppPage, expectFit, goTo, openAppPage, phone, signIn, wide } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { befriend, idOf } from '../support/friends.ts';
import * as pictures from '../support/pictures.ts';
import { share } from '../support/shares.ts';
import { replyTo, takeTo } from '../support/tickets.ts';
import { postForm, sendFile, sendMany } from '../support/uploads.ts';

const markup = '<b>Eve</b><img src=x onerror="document.title=1">';

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'people in the app' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp();
    url = app.app.url;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function enter(username: string): Promise<AppPage> {
    const opened = await openAppPage(browser, url);
    await signIn(opened.page, username);
    return opened;
  }

  const storeFor = async (person: Person, name: string): Promise<string> =>
    (await sendFile(person, Buffer.from(`of ${name}`), name)).data.fileHash;

  /** Texts were shown as they are, and none of them became a part of the page. */
  async function expectWords({ page, complaints }: AppPage, title: string): Promise<void> {
    expect(await page.locator('main b, main img, main script').count()).toBe(0);
    expect(await page.title()).toBe(`${title} – RecordProof`);
    expect(complaints).toEqual([]);
  }

  /** The badge beside the name of a screen in the navigation. */
  const expectNew = (page: Page, part: string, many: number): Promise<void> =>
    expect
      .poll(() => page.getByRole('link', { name: part }).first().textContent())
      .toMatch(many === 0 ? new RegExp(`^${part}$`) : new RegExp(`^${part}\\s*${many}\\s*${many} new$`));

  async function writePicture(from: Person, receiverId: string): Promise<void> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(pictures.png)]), 'holiday.png');
    const { data } = await postForm<StoredImage>(from, '/api/v1/images/upload/image', form);
    await from.call(sendMessage, { body: { receiverId, contentType: 'image', content: data.path } });
  }

  const pressIn = (page: Page, name: string): Promise<void> =>
    page.getByRole('dialog').getByRole('button', { name }).click();

  test('a private share with a password is opened in the app, downloaded with a watermark, and saved', async () => {
    const [ada, ben] = [await app.person('ada'), await app.person('ben')];
    const fileHash = await storeFor(ada, `${markup}.txt`);
    const { shareCode: code } = await share(ada, fileHash, { shareType: shareTypes.PRIVATE, password: 'open sesame' });
    const opened = await openAppPage(browser, url);
    const { page } = opened;
    await page.goto(`${url}/app#/share/${code}`);
    await signIn(page, 'ben');
    await page.getByLabel('Password').fill('not this');
    await page.keyboard.press('Enter');
    await page.getByText(/The password is wrong.* 9 tries are left/).waitFor();
    await expectFit(page, 'share-password');
    await page.getByLabel('Password').fill('open sesame');
    await page.keyboard.press('Enter');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toContain('.txt');
    await page.getByText('Verified').waitFor();
    await page.getByRole('button', { name: 'Keep in my files' }).click();
    await page.getByText('They are among your').waitFor();
    await expectFit(page, 'share-opened');
    expect((await ben.call(listFiles, {})).records).toHaveLength(1);
    await expectWords(opened, 'A share');
  });

  test('a link is opened by its code, shown as a QR code, changed, and cancelled', async () => {
    const cleo = await app.person('cleo');
    const { shareCode: code } = await share(cleo, await storeFor(cleo, 'plan.pdf'));
    await storeFor(cleo, 'roof.pdf');
    const opened = await enter('cleo');
    const { page } = opened;
    await goTo(page, 'Shares');
    await page.getByRole('button', { name: 'QR code: plan.pdf' }).click();
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    await page.getByText('This address works on this computer only').waitFor();
    await expectFit(page, 'share-qr');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change: plan.pdf' }).click();
    await page.getByRole('dialog').getByText('New password').first().click();
    await page.getByRole('textbox', { name: 'New password' }).fill('a new one');
    await page.getByLabel('Maximum number of opens').fill('3');
    await page.getByRole('textbox', { name: 'Title' }).fill('Plans of the house');
    await page.getByRole('textbox', { name: 'Message' }).fill('Please look.\nBy Friday.');
    await page.getByRole('textbox', { name: 'Mail the link to' }).fill('dora@example.org, cleo');
    await page.getByRole('button', { name: 'Add files' }).click();
    await page.getByLabel('roof.pdf').check();
    await expectFit(page, 'share-change');
    await pressIn(page, 'Change');
    await page.getByText('Plans of the house').waitFor();
    await app.drain();
    for (const to of ['dora@example.org', 'cleo@example.org'])
      expect(await app.mailsTo(to)).toMatchObject([{ subject: 'cleo shares: Plans of the house' }]);
    await page.getByRole('button', { name: 'Change: plan.pdf' }).click();
    await page.getByRole('dialog').getByText('mailed ').first().waitFor();
    await page.getByRole('button', { name: 'Remove from the share: plan.pdf' }).click();
    await page.getByRole('button', { name: 'Remove from the list: dora@example.org' }).click();
    await pressIn(page, 'Change');
    await page.getByRole('button', { name: 'Change: roof.pdf' }).waitFor();
    await page.getByText('opened 0 of 3 times').waitFor();
    await page.getByText('with password').waitFor();
    const { title, message, files } = await cleo.call(openShare, {
      params: { code },
      body: { password: 'a new one' },
    });
    expect([title, message, files.length]).toEqual(['Plans of the house', 'Please look.\nBy Friday.', 1]);
    await page.getByRole('link', { name: 'Open a link' }).click();
    await page.getByLabel('Link or code').fill('nothing of ours');
    await page.keyboard.press('Enter');
    await page.getByText('This is not a share').waitFor();
    await page.getByLabel('Link or code').fill(`${url}/s/${code}`);
    await page.keyboard.press('Enter');
    await page.getByText('This share has a password').waitFor();
    await goTo(page, 'Shares');
    await page.getByText('opened 1 of 3 times').waitFor();
    await page.getByRole('button', { name: 'Cancel share: roof.pdf' }).click();
    await pressIn(page, 'Cancel share');
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await page.goto(`${url}/app#/share/${code}`);
    await page.getByText('This share has ended').waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test('a drop link that cannot be reopened says why, and is reopened by the next press', async () => {
    const olga = await app.person('olga');
    const { id } = await olga.call(createDropLink, { body: { title: markup } });
    await olga.call(updateDropLink, { params: { id }, body: { closed: true } });
    const { page, complaints } = await enter('olga');
    await page.goto(`${url}/app#/shares/requests`);
    const reopen = page.getByRole('button', { name: `Reopen: ${markup}` });
    await page.route('**/drop-links/*', route => route.abort());
    await reopen.click();
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    await page.unroute('**/drop-links/*');
    await reopen.click();
    await page.getByRole('button', { name: `Close: ${markup}` }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('people find each other, accept requests, and exchange files that appear at once', async () => {
    const [dan, eve] = [await app.person('dan'), await app.person('eve')];
    await eve.call(updateProfile, { body: { nickname: markup } });
    await storeFor(eve, 'from-eve.txt');
    const [his, hers] = [await enter('dan'), await enter('eve')];
    await goTo(his.page, 'Friends');
    await his.page.getByRole('heading', { name: 'No friends yet' }).waitFor();
    await his.page.getByText('Live', { exact: true }).waitFor();
    await goTo(hers.page, 'Friends');
    await hers.page.getByLabel('Find people').fill('dan');
    await hers.page.getByRole('button', { name: 'Ask to be friends: dan' }).click();
    await hers.page.getByText('Waiting for an answer').waitFor();
    await his.page.getByRole('heading', { name: 'They ask you' }).waitFor();
    await expectFit(his.page, 'friends-asked');
    await his.page.getByRole('button', { name: `Accept: ${markup}` }).click();
    await his.page.getByRole('button', { name: `Send files: ${markup}` }).waitFor();
    await hers.page.getByLabel('Find people').fill('');
    await hers.page.getByRole('button', { name: 'Send files: dan' }).click();
    await hers.page.getByRole('checkbox', { name: 'from-eve.txt' }).check();
    await hers.page.getByLabel('Note').fill(markup);
    await expectFit(hers.page, 'friends-send');
    await pressIn(hers.page, 'Send 1 file');
    await hers.page.getByText('dan has the files now.').waitFor();
    await expectNew(his.page, 'Shares', 1);
    await goTo(his.page, 'Shares');
    await his.page.getByRole('link', { name: 'From friends' }).click();
    await his.page.getByRole('link', { name: markup }).click();
    await his.page.getByText('from-eve.txt').waitFor();
    await expectNew(his.page, 'Shares', 0);
    await expectFit(his.page, 'friend-share');
    await his.page.getByRole('button', { name: 'Keep in my files' }).click();
    await his.page.getByText('They are among your').waitFor();
    expect((await dan.call(listFiles, {})).records).toMatchObject([{ fileName: 'from-eve.txt' }]);
    await hers.page.keyboard.press('Escape');
    await goTo(hers.page, 'Shares');
    await hers.page.getByRole('link', { name: 'To friends' }).click();
    await hers.page.getByRole('link', { name: 'dan' }).click();
    await hers.page.getByText('Opened').waitFor();
    await hers.page.getByRole('button', { name: 'Cancel share' }).click();
    await pressIn(hers.page, 'Cancel share');
    await hers.page.getByRole('link', { name: 'dan' }).click();
    await hers.page.getByText('You have cancelled this share').waitFor();
    await goTo(his.page, 'Friends');
    await expectFit(his.page, 'friends');
    await his.page.getByRole('button', { name: `Remove friend: ${markup}` }).click();
    await pressIn(his.page, 'Remove friend');
    await his.page.getByRole('heading', { name: 'No friends yet' }).waitFor();
    expect(await eve.call(listAllFriends)).toEqual([]);
    await expectWords(his, 'Friends');
    await expectWords(hers, 'Shares');
  });

  test('messages arrive while both conversations are open, and are marked as read when shown', async () => {
    const [fay, gil] = [await app.person('fay'), await app.person('gil')];
    await befriend(fay, gil);
    await fay.call(updateProfile, { body: { nickname: markup } });
    const [hers, his] = [await enter('fay'), await enter('gil')];
    await goTo(hers.page, 'Friends');
    await hers.page.getByRole('link', { name: 'Message: gil' }).click();
    await hers.page.getByText('Nothing was written yet').waitFor();
    await his.page.getByText('Live', { exact: true }).waitFor();
    await hers.page.getByLabel('Message to gil').fill(`${markup}\nand a second line`);
    await hers.page.keyboard.press('Enter');
    await hers.page.getByRole('log').getByText('and a second line').waitFor();
    await expectNew(his.page, 'Messages', 1);
    await goTo(his.page, 'Messages');
    await his.page.getByRole('link', { name: markup }).first().click();
    await his.page.getByRole('log').getByText('and a second line').waitFor();
    await expectNew(his.page, 'Messages', 0);
    await his.page.getByLabel(`Message to ${markup}`).fill('heard');
    await his.page.keyboard.press('Enter');
    await his.page.getByRole('log').getByText('heard').waitFor();
    await hers.page.getByRole('log').getByText('heard').waitFor();
    await expectFit(his.page, 'messages');
    for (const each of [fay, gil])
      await expect.poll(async () => (await each.call(listConversations, {})).records[0]?.unreadCount).toBe(0);
    await his.page.getByRole('button', { name: 'Delete' }).click();
    await pressIn(his.page, 'Delete');
    await his.page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    await gil.call(sendMessage, { body: { receiverId: await idOf(fay), content: 'once more' } });
    await hers.page.getByRole('log').getByText('once more').waitFor();
    await expectWords(his, 'Messages');
    await expectWords(hers, 'Messages');
    await writePicture(gil, await idOf(fay));
    await hers.page.getByRole('log').getByRole('img', { name: 'A picture' }).waitFor();
    await expectFit(hers.page, 'messages-picture');
    expect(hers.complaints).toEqual([]);
  });

  test('browser notifications are shown while the page has no focus, for the chosen kinds', async () => {
    const [mia, ned] = [await app.person('mia'), await app.person('ned')];
    await befriend(mia, ned);
    await using complete = await launchChromium({ complete: true });
    const { page, complaints } = await openAppPage(complete, url, { permissions: ['notifications'] });
    await page.addInitScript(() => {
      const told: string[] = [];
      class Noted extends Notification {
        constructor(title: string, options: NotificationOptions) {
          super(title, options);
          told.push(`${title}: ${options.body}`);
        }
      }
      Object.assign(globalThis, { told, Notification: Noted });
      document.hasFocus = () => false;
    });
    await page.reload();
    await signIn(page, 'mia');
    await page.getByText('Live', { exact: true }).waitFor();
    const told = () => page.evaluate<string[]>('told');
    // The request comes first, so a checkbox does not change at once.
    const turn = async (box: Locator, isOn: boolean) => {
      await box.click();
      await expect.poll(() => box.isChecked()).toBe(isOn);
    };
    const notifyMe = page.getByLabel('Tell me while this window is not in front');
    const write = async (content: string) =>
      void (await ned.call(sendMessage, { body: { receiverId: await idOf(mia), content } }));
    await write('before anything was turned on');
    await expectNew(page, 'Messages', 1);
    expect(await told()).toEqual([]);
    await goTo(page, 'Account');
    await turn(notifyMe, true);
    await expectFit(page, 'account-notices');
    await write(markup);
    await expect.poll(told).toEqual([`New message: ned: ${markup}`]);
    await turn(page.getByRole('checkbox', { name: 'Messages' }), false);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await write('of no concern');
    await expectNew(page, 'Messages', 3);
    expect(await told()).toEqual([]);
    await page.evaluate(() => Object.assign(Notification, { requestPermission: async () => 'denied' }));
    await turn(notifyMe, false);
    await notifyMe.click();
    await page.getByText('This browser blocks notifications').waitFor();
    expect(complaints).toEqual([]);
  });

  test('unread announcements are counted until read; a ticket is opened, answered, confirmed and closed', async () => {
    const [root, hal] = [await app.person('root', { role: 'admin' }), await app.person('hal')];
    await storeFor(hal, 'log.txt');
    await sendMany(
      hal,
      Array.from({ length: 60 }, (_, at) => ({ bytes: Buffer.from(`${at}`), name: `newer ${at}.txt` })),
    );
    const opened = await enter('hal');
    const { page } = opened;
    await page.getByText('Live', { exact: true }).waitFor();
    const body = { title: markup, content: `# ${markup}\n\nThe **second** paragraph.`, priority: 2 as const };
    const { id } = await root.call(createAnnouncement, { body });
    await root.call(publishAnnouncement, { params: { id } });
    await expectNew(page, 'Announcements', 1);
    await goTo(page, 'Announcements');
    await page.getByText('New', { exact: true }).waitFor();
    await page.getByRole('link', { name: markup }).click();
    await page.getByText('The second paragraph.').waitFor();
    await expectNew(page, 'Announcements', 0);
    await expectFit(page, 'announcements');
    await expectWords(opened, 'Announcements');
    await goTo(page, 'Help');
    await page.getByRole('button', { name: 'Ask for help' }).click();
    await page.getByLabel('Subject').fill(markup);
    await page.getByLabel('Description').fill(`${markup} does not work`);
    // The session ends elsewhere, and the draft is still there after signing in again.
    const { token } = hal;
    await hal.call(logout, { body: { everywhere: true } });
    await page.getByText('Your session has ended').waitFor();
    await hal.login('hal', testPassword);
    expect(hal.token).not.toBe(token);
    await signIn(page, 'hal');
    expect(await page.getByLabel('Description').inputValue()).toBe(`${markup} does not work`);
    await page.getByText('Attach names of files').click();
    const picker = page.getByRole('group').filter({ has: page.getByRole('checkbox') });
    await picker.getByRole('checkbox', { name: 'newer 59.txt' }).waitFor();
    expect(await picker.getByRole('checkbox', { name: 'log.txt' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await picker.getByRole('checkbox', { name: 'log.txt' }).waitFor();
    await picker.getByLabel('Search files').fill('log');
    await expect.poll(() => picker.getByRole('checkbox').count()).toBe(1);
    await picker.getByRole('checkbox', { name: 'log.txt' }).check();
    await expectFit(page, 'ticket-new');
    await pressIn(page, 'Send');
    await page.getByLabel('Description').waitFor({ state: 'detached' });
    await page.getByText('does not work').first().waitFor();
    const ticket = (await hal.call(listTickets, {})).records[0]?.id ?? '';
    await replyTo(root, ticket, { content: `${markup} is known` });
    await page.getByText('is known').waitFor();
    await takeTo(root, ticket, 2);
    await page.getByRole('button', { name: 'Mark as solved' }).waitFor();
    await expectFit(page, 'ticket');
    await page.getByLabel('Your reply').fill('Thank you');
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await page.getByText('Thank you').waitFor();
    await page.getByRole('button', { name: 'Mark as solved' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('This ticket is closed').waitFor();
    await expectWords(opened, 'Help');
  });

  test('a monitor has no buttons for changes; on a phone the navigation is behind "More"', async () => {
    const [ida, joe] = [await app.person('ida'), await app.person('joe', { role: 'monitor' })];
    await ida.call(sendFriendRequest, { body: { addresseeId: await idOf(joe) } });
    const { page, complaints } = await enter('joe');
    await page.setViewportSize(phone);
    await page.getByRole('button', { name: 'More' }).click();
    await expectFit(page, 'parts');
    await goTo(page, 'Friends');
    await page.getByText('ida').first().waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await page.setViewportSize(wide);
    await goTo(page, 'Help');
    await page.getByRole('heading', { name: 'No tickets' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
