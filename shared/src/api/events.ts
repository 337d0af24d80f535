// Event streams: the type and payload of each event, and how a stream is opened.
import { z } from 'zod';
import { jsonOrNone } from '../json-or-none.ts';
import { isoTime, recordId } from './common.ts';
import { endpoint, type Permission } from './endpoint.ts';

const alertEvidence = z.record(z.string(), z.unknown());

/** By type. An event reports a change and its ids; clients query the details. */
const eventPayloads = {
  'message-received': z.object({
    messageId: recordId,
    conversationId: recordId,
    senderId: z.string(),
    senderName: z.string(),
    preview: z.string(),
  }),
  'announcement-published': z.object({
    id: recordId,
    title: z.string(),
    priority: z.int(),
    isPinned: z.boolean(),
  }),
  'ticket-updated': z.object({
    ticketId: recordId,
    ticketNo: z.string(),
    oldStatus: z.int().optional(),
    newStatus: z.int().optional(),
    replierName: z.string().optional(),
    preview: z.string().optional(),
  }),
  'friend-request': z.object({
    requestId: recordId,
    requesterId: z.string(),
    requesterName: z.string(),
    message: z.string(),
  }),
  'friend-accepted': z.object({ friendId: z.string(), friendName: z.string() }),
  'friend-share': z.object({
    shareId: recordId,
    sharerName: z.string(),
    fileCount: z.int(),
    message: z.string(),
  }),
  'file-recorded': z.object({
    fileId: recordId,
    fileName: z.string(),
    path: z.string().optional(),
    fileHash: z.string(),
    version: z.int(),
    transactionHash: z.string(),
  }),
  'file-failed': z.object({ clientId: z.string(), fileName: z.string(), reason: z.string() }),
  'proof-issued': z.object({ fileId: recordId, fileName: z.string(), proofId: z.string() }),
  'drop-arrived': z.object({
    linkId: recordId,
    title: z.string(),
    fileId: recordId,
    fileName: z.string(),
    fileHash: z.string(),
  }),
  'upload-progress': z.object({
    clientId: z.string(),
    status: z.string(),
    progress: z.number(),
    uploadedChunkCount: z.int(),
    totalChunks: z.int(),
  }),
  'new-device': z.object({ device: z.string(), address: z.string() }),
  'audit-alert': z.object({ kind: z.string(), detail: z.string() }),
  INTEGRITY_ALERT: z.object({
    alertId: recordId,
    fileId: recordId,
    fileName: z.string(),
    alertType: z.string(),
    severity: z.string(),
    evidence: alertEvidence,
    actualHash: z.string().optional(),
    chainHash: z.string().optional(),
  }),
} as const;

export type EventType = keyof typeof eventPayloads;

/** The scope that an API token needs for the event; null: never sent to API tokens. */
export const eventPermissions: Readonly<Record<EventType, Permission | null>> = {
  'message-received': 'message:read',
  'announcement-published': 'announcement:read',
  'ticket-updated': 'ticket:read',
  'friend-request': 'friend:read',
  'friend-accepted': 'friend:read',
  'friend-share': 'friend:read',
  'file-recorded': 'file:read',
  'file-failed': 'file:read',
  'proof-issued': 'file:read',
  'drop-arrived': 'file:read',
  'upload-progress': 'file:read',
  'new-device': null,
  'audit-alert': 'system:audit',
  INTEGRITY_ALERT: 'system:admin',
};
export type EventPayload<T extends EventType> = z.infer<(typeof eventPayloads)[T]>;

/** Why the server ended a stream. After `replaced` and `disconnected` clients should not reconnect automatically. */
export const endReasons = ['replaced', 'disconnected', 'session-ended', 'shutdown', 'interrupted'] as const;
export type EndReason = (typeof endReasons)[number];

/** Messages about the stream itself. */
const streamPayloads = {
  /**
   * The first message. `missed`: some events after the given id are no longer kept. `quietMs`, where no id was given: how long ago the
   * newest event of the tenant was stored, null where none is kept. Servers of earlier releases do not send it.
   */
  connected: z.object({
    connectionId: z.string(),
    missed: z.boolean(),
    quietMs: z.number().min(0).nullable().optional(),
  }),
  heartbeat: z.object({}),
  /** The last message, if there is time for one. */
  disconnected: z.object({ reason: z.enum(endReasons) }),
} as const;

const allPayloads = { ...eventPayloads, ...streamPayloads };

export type StreamType = keyof typeof allPayloads;
export type StreamPayload<T extends StreamType> = z.infer<(typeof allPayloads)[T]>;

/** One message. `id` is absent for messages that are not stored: progress, heartbeats, the end. */
export type StreamMessage = {
  [T in StreamType]: {
    readonly id?: string;
    readonly type: T;
    readonly payload: StreamPayload<T>;
    readonly timestamp: string;
  };
}[StreamType];

const messageData = z.object({ type: z.string(), payload: z.unknown(), timestamp: isoTime });

/** Returns null for types unknown to this version: clients ignore them. */
export function parseStreamMessage(data: string, id: string | undefined): StreamMessage | null {
  const message = messageData.safeParse(jsonOrNone(data));
  if (!message.success || !Object.hasOwn(allPayloads, message.data.type)) return null;
  const { type, timestamp } = message.data;
  const payload = allPayloads[type as StreamType].safeParse(message.data.payload);
  if (!payload.success) return null;
  return { ...(id !== undefined && { id }), type, payload: payload.data, timestamp } as StreamMessage;
}

export const eventId = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be the id of an event')
  .meta({ description: 'id of the last event that was received' });

const common = { feature: 'events', access: 'signed-in', rate: 'other' } as const;

export const connectEvents = endpoint('connectEvents', {
  ...common,
  route: 'GET /api/v1/sse/connect',
  summary: 'Follow what happens, as server-sent events',
  description:
    'Each message is JSON: `type`, `payload`, `timestamp`. With the header `Last-Event-ID`, or `lastEventId` in the query, what was missed in the last 24 hours comes first. A sixth stream of an account ends its oldest.',
  tokenScope: 'any',
  folderScope: {},
  takesStreamToken: true,
  query: z.object({
    token: z.string().max(128).optional().meta({ description: 'from POST /api/v1/auth/tokens/sse' }),
    lastEventId: eventId.optional(),
  }),
  answerForm: 'events',
  errors: ['SYSTEM_BUSY'],
});

export const getStreamStatus = endpoint('getStreamStatus', {
  ...common,
  route: 'GET /api/v1/sse/status',
  summary: 'How many event streams of mine are open',
  answer: z.object({ connected: z.boolean(), connectionCount: z.int().min(0) }),
});

export const disconnectEvents = endpoint('disconnectEvents', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'DELETE /api/v1/sse/disconnect',
  summary: 'End one of my event streams, or all',
  query: z.object({
    connectionId: z.string().min(1).max(64).optional().meta({ description: 'from the `connected` message' }),
  }),
});
