import * as api from '@recordproof/shared/api/announcements.ts';
import { parseSort, toPage } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { originOf } from '../audit/index.ts';
import { deleteAnnouncement } from './delete-announcement.ts';
import type { AnnouncementPorts } from './ports.ts';
import { publishAnnouncement } from './publish-announcement.ts';
import { type AnnouncementRow, countAnnouncements, findAnnouncement, listAnnouncements } from './queries.ts';
import { readAnnouncement } from './read-announcement.ts';
import { toAnnouncements, toManaged } from './views.ts';
import { getShown } from './visible.ts';
import { createAnnouncement, rewriteAnnouncement } from './write-announcement.ts';

const shown = api.announcementStatus.PUBLISHED;

const readerRoutes = (ports: AnnouncementPorts): Route[] => {
  const { db } = ports.database;
  return [
    route(api.listAnnouncements, async ({ actor, query }) => {
      const { tenantId, userId } = actor;
      const { unread, priority, keyword } = query;
      const read = unread === undefined ? undefined : { userId, is: unread === 'false' };
      const filter = { tenantId, status: shown, priority, keyword, read };
      const now = ports.clock.now();
      const slice = { ...query, sort: parseSort(query.sort), pinnedFirst: true };
      const rows = await listAnnouncements(db, filter, slice, now);
      return toPage(await toAnnouncements(db, actor, rows), await countAnnouncements(db, filter, now), query);
    }),
    route(api.countUnreadAnnouncements, async ({ actor: { tenantId, userId } }) => {
      const filter = { tenantId, status: shown, read: { userId, is: false } };
      return { count: await countAnnouncements(db, filter, ports.clock.now()) };
    }),
    route(api.getAnnouncement, async ({ actor, params }) => {
      const row = await getShown(db, actor.tenantId, toKey(params.id), ports.clock.now());
      const [view] = await toAnnouncements(db, actor, [row]);
      return { ...(view as api.Announcement), content: row.content };
    }),
    route(api.readAnnouncement, async r => {
      await readAnnouncement(ports, r.actor, toKey(r.params.id), originOf(r));
      return null;
    }),
  ];
};

const administratorRoutes = (ports: AnnouncementPorts): Route[] => {
  const { db } = ports.database;
  const toView = async (row: AnnouncementRow): Promise<api.ManagedAnnouncement> => {
    const [view] = await toManaged(db, [row], ports.clock.now());
    return view as api.ManagedAnnouncement;
  };
  return [
    route(api.listManagedAnnouncements, async ({ actor, query }) => {
      const { status, priority, keyword } = query;
      const filter = { tenantId: actor.tenantId, status, priority, keyword };
      const now = ports.clock.now();
      const slice = { ...query, sort: parseSort(query.sort), pinnedFirst: false };
      const views = await toManaged(db, await listAnnouncements(db, filter, slice, now), now);
      const items = views.map(({ content: _content, ...item }) => item);
      return toPage(items, await countAnnouncements(db, filter, now), query);
    }),
    route(api.getManagedAnnouncement, async ({ actor, params }) => {
      const row = await findAnnouncement(db, actor.tenantId, toKey(params.id));
      if (row === null) throw new ApiError('ANNOUNCEMENT_NOT_FOUND');
      return toView(row);
    }),
    route(api.createAnnouncement, async r => toView(await createAnnouncement(ports, r.actor, r.body, originOf(r)))),
    route(api.updateAnnouncement, async r => {
      const request = { actor: r.actor, announcementId: toKey(r.params.id), wish: r.body, origin: originOf(r) };
      return toView(await rewriteAnnouncement(ports, request));
    }),
    route(api.publishAnnouncement, async r =>
      toView(await publishAnnouncement(ports, r.actor, toKey(r.params.id), originOf(r))),
    ),
    route(api.deleteAnnouncement, async r => {
      await deleteAnnouncement(ports, r.actor, toKey(r.params.id), originOf(r));
      return null;
    }),
  ];
};

export const announcementRoutes = (ports: AnnouncementPorts): Route[] => [
  ...readerRoutes(ports),
  ...administratorRoutes(ports),
];
