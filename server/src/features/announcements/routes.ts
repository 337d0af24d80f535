// Routes of announcements.
import * as api from '@recordproof/shared/api/announcements.ts';
import { toPage } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import {
  createAnnouncement,
  deleteAnnouncement,
  publishAnnouncement,
  rewriteAnnouncement,
} from './change-announcements.ts';
import { type AnnouncementRow, countAnnouncements, findAnnouncement, listAnnouncements } from './queries.ts';
import { getShown, readAnnouncement } from './read-announcement.ts';
import { toAnnouncements, toManaged } from './views.ts';

const shown = api.announcementStatus.PUBLISHED;

const readerRoutes = (server: Pick<Server, 'database' | 'clock'>): Route[] => {
  const { db } = server.database;
  return [
    route(api.listAnnouncements, async ({ actor, query }) => {
      const { tenantId, userId } = actor;
      const { unread, priority, keyword } = query;
      const read = unread === undefined ? undefined : { userId, is: unread === 'false' };
      const filter = { tenantId, status: shown, priority, keyword, read };
      const now = server.clock.now();
      const rows = await listAnnouncements(db, filter, { ...query, pinnedFirst: true }, now);
      return toPage(await toAnnouncements(db, actor, rows), await countAnnouncements(db, filter, now), query);
    }),
    route(api.countUnreadAnnouncements, async ({ actor: { tenantId, userId } }) => {
      const filter = { tenantId, status: shown, read: { userId, is: false } };
      return { count: await countAnnouncements(db, filter, server.clock.now()) };
    }),
    route(api.getAnnouncement, async ({ actor, params }) => {
      const row = await getShown(db, actor.tenantId, toKey(params.id), server.clock.now());
      const [view] = await toAnnouncements(db, actor, [row]);
      return { ...(view as api.Announcement), content: row.content };
    }),
    route(api.readAnnouncement, r => readAnnouncement(server, r, toKey(r.params.id))),
  ];
};

const administratorRoutes = (server: Pick<Server, 'database' | 'clock'>): Route[] => {
  const { db } = server.database;
  const toView = async (row: AnnouncementRow): Promise<api.ManagedAnnouncement> => {
    const [view] = await toManaged(db, [row], server.clock.now());
    return view as api.ManagedAnnouncement;
  };
  return [
    route(api.listManagedAnnouncements, async ({ actor, query }) => {
      const { status, priority, keyword } = query;
      const filter = { tenantId: actor.tenantId, status, priority, keyword };
      const now = server.clock.now();
      const rows = await listAnnouncements(db, filter, { ...query, pinnedFirst: false }, now);
      const views = await toManaged(db, rows, now);
      const items = views.map(({ content: _content, ...item }) => item);
      return toPage(items, await countAnnouncements(db, filter, now), query);
    }),
    route(api.getManagedAnnouncement, async ({ actor, params }) => {
      const row = await findAnnouncement(db, actor.tenantId, toKey(params.id));
      if (row === null) throw new ApiError('ANNOUNCEMENT_NOT_FOUND');
      return toView(row);
    }),
    route(api.createAnnouncement, async r => toView(await createAnnouncement(server, r, r.body))),
    route(api.updateAnnouncement, async r =>
      toView(await rewriteAnnouncement(server, r, { announcementId: toKey(r.params.id), input: r.body })),
    ),
    route(api.publishAnnouncement, async r => toView(await publishAnnouncement(server, r, toKey(r.params.id)))),
    route(api.deleteAnnouncement, r => deleteAnnouncement(server, r, toKey(r.params.id))),
  ];
};

export const announcementRoutes = (server: Pick<Server, 'database' | 'clock'>): Route[] => [
  ...readerRoutes(server),
  ...administratorRoutes(server),
];
