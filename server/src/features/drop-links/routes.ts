// Routes of drop links.
import { toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/drop-links.ts';
import * as senderApi from '@recordproof/shared/api/drop-senders.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { dropReceiptSuffix } from '@recordproof/shared/evidence/drop-receipt.ts';
import type { Key } from '../../platform/db/tables.ts';
import { plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { toAttachment } from '../downloads/index.ts';
import { type FileRow, findFile, listFilesById } from '../files/index.ts';
import { exportProof } from '../proofs/index.ts';
import { openEvidence } from '../vouchers/index.ts';
import { changeLink, createLink, deleteLink, getLink, ownerOf } from './change-links.ts';
import { enterLink, findEntrance, findSending } from './enter-link.ts';
import { writeReceipt } from './issue-receipt.ts';
import { type ArrivalRow, listArrivals, listLinks, listSenders, listSent } from './queries.ts';
import { cancelFile, completeFile, getSent, putPart, startFile } from './send-file.ts';
import { toArrivalView, toInfo, toLinkView, toSentView } from './views.ts';

const mostListed = 1000;

export const dropLinkRoutes = (server: Server): Route[] => [...ownerRoutes(server), ...senderRoutes(server)];

const ownerRoutes = (server: Server): Route[] => {
  const { clock, database } = server;
  const { db } = database;
  return [
    route(api.createDropLink, async r => toLinkView(await createLink(server, r, r.body), clock.now())),
    route(api.listDropLinks, async r => {
      const { rows, total } = await listLinks(db, ownerOf(r.actor), r.query);
      const views = rows.map(row => toLinkView(row, clock.now()));
      return toPage(views, total, r.query);
    }),
    route(api.getDropLink, async r => toLinkView(await getLink(db, r.actor, r.params.id), clock.now())),
    route(api.updateDropLink, async r =>
      toLinkView(await changeLink(server, r, { id: r.params.id, input: r.body }), clock.now()),
    ),
    route(api.deleteDropLink, r => deleteLink(server, r, r.params.id)),
    route(api.listDropArrivals, async r => {
      const { rows, total } = await listArrivals(db, await getLink(db, r.actor, r.params.id), r.query);
      const files = await findFilesOf(server, rows);
      const senderIds = rows.map(row => row.sender_id);
      const senders = await listSenders(db, senderIds);
      const views = rows.flatMap(
        row => toArrivalView(row, files.get(row.file_id ?? 0), senders.get(row.sender_id)) ?? [],
      );
      return toPage(views, total, r.query);
    }),
  ];
};

async function findFilesOf(
  { database: { db } }: Pick<Server, 'database'>,
  rows: readonly ArrivalRow[],
): Promise<ReadonlyMap<Key, FileRow>> {
  const [{ tenant_id: tenantId } = { tenant_id: 0 }] = rows;
  const ids = rows.flatMap(row => row.file_id ?? []);
  return new Map((await listFilesById(db, tenantId, ids)).map(file => [file.id, file]));
}

const senderRoutes = (server: Server): Route[] => {
  const { clock, database, config } = server;
  const evidence = openEvidence(server);
  const toView = async (arrival: ArrivalRow) =>
    toSentView(arrival, (await findFilesOf(server, [arrival])).get(arrival.file_id ?? 0));
  const sendingOf = (request: Request & { readonly params: { readonly code: string } }) =>
    findSending(server, request, request.params.code);
  return [
    route(senderApi.getDropInfo, async r =>
      toInfo(await findEntrance(server, r, r.params.code), clock.now(), config.uploads.maxFileBytes),
    ),
    route(senderApi.beginDrop, async r => ({
      sender: await enterLink(server, r, { code: r.params.code, body: r.body }),
    })),
    route(senderApi.startDropFile, async r => {
      const { arrival, ...started } = await startFile(server, r, await sendingOf(r));
      return { ...(await toView(arrival)), ...started };
    }),
    route(senderApi.putDropPart, async r => putPart(server, r, await sendingOf(r), r.params)),
    route(senderApi.completeDropFile, async r =>
      toView(await completeFile(server, r, await sendingOf(r), r.params.id)),
    ),
    route(senderApi.cancelDropFile, async r => cancelFile(server, r, await sendingOf(r), r.params.id)),
    route(senderApi.listSentFiles, async r => {
      const rows = await listSent(database.db, (await sendingOf(r)).sender, mostListed);
      const files = await findFilesOf(server, rows);
      return rows.map(row => toSentView(row, files.get(row.file_id ?? 0)));
    }),
    plainRoute(senderApi.getDropReceipt, async r => {
      const sending = await sendingOf(r);
      const arrival = await getSent(server, sending, r.params.id);
      const body = await writeReceipt(evidence, arrival, sending.sender);
      const headers = {
        'content-type': 'application/json',
        'content-disposition': toAttachment(`${arrival.file_name}${dropReceiptSuffix}`),
        'cache-control': 'private, no-cache',
      };
      return { headers: { ...headers, 'content-length': body.length }, body };
    }),
    plainRoute(senderApi.getDropProof, async r => {
      const { tenant_id: tenantId, file_id: fileId } = await getSent(server, await sendingOf(r), r.params.id);
      const file = fileId === null ? null : await findFile(database.db, tenantId, fileId);
      if (file === null) throw new ApiError('FILE_NOT_EXIST');
      return exportProof(server, { file });
    }),
  ];
};
