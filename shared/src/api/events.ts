// What the event stream tells people: the type of each event and what it carries; and how a stream is opened.
import { z } from 'zod';
import { isoTime, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

const alertEvidence = z.record(z.string(), z.unknown());

/** By type. An event says that something happened and names it; whoever wants the rest asks for it. */
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
  'upload-progress': z.object({
    clientId: z.string(),
    status: z.string(),
    progress: z.number(),
    uploadedChunkCount: z.int(),
    totalChunks: z.int(),
  }),
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
export type EventPayload<T extends EventType> = z.infer<(typeof eventPayloads)[T]>;

/** Why the server ended a stream. After `replaced` and `disconnected` a client should not come back by itself. */
export const endReasons = ['replaced', 'disconnected', 'session-ended', 'shutdown', 'interrupted'] as const;
export type EndReason = (typeof endReasons)[number];

/** What a stream says about itself. */
const streamPayloads = {
  /** The first message. `missed`: what came after the given event id is not, or not all of it, kept any more. */
  connected: z.object({ connectionId: z.string(), missed: z.boolean() }),
  heartbeat: z.object({}),
  /** The last message, where there is still time for one. */
  disconnected: z.object({ reason: z.enum(endReasons) }),
} as const;

const allPayloads = { ...eventPayloads, ...streamPayloads };

export type StreamType = keyof typeof allPayloads;
export type StreamPayload<T extends StreamType> = z.infer<(typeof allPayloads)[T]>;

/** One message. `id` is absent on what is not kept: progress, heartbeats, the end. */
export type StreamMessage = {
  [T in StreamType]: {
    readonly id?: string;
    readonly type: T;
    readonly payload: StreamPayload<T>;
    readonly timestamp: string;
  };
}[StreamType];

const messageData = z.object({ type: z.string(), payload: z.unknown(), timestamp: isoTime });

/** Null for what this version does not know: whoever reads goes on. */
export function parseStreamMessage(data: string, id: string | undefined): StreamMessage | null {
  const message = messageData.safeParse(parseJson(data));
  if (!message.success || !Object.hasOwn(allPayloads, message.data.type)) return null;
  const { type, timestamp } = message.data;
  const payload = allPayloads[type as StreamType].safeParse(message.data.payload);
  if (!payload.success) return null;
  return { ...(id !== undefined && { id }), type, payload: payload.data, timestamp } as StreamMessage;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const eventId = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be the id of an event')
  .meta({ description: 'id of the last event that was received' });

export const connectEvents = endpoint('connectEvents', {
  feature: 'events',
  method: 'GET',
  path: '/api/v1/sse/connect',
  summary: 'Follow what happens, as server-sent events',
  description:
    'Each message is JSON: `type`, `payload`, `timestamp`. With the header `Last-Event-ID`, or `lastEventId` in the query, what was missed in the last 24 hours comes first. A sixth stream of an account ends its oldest.',
  access: 'signed-in',
  takesStreamToken: true,
  rate: 'other',
  query: z.object({
    token: z.string().max(128).optional().meta({ description: 'from POST /api/v1/auth/tokens/sse' }),
    lastEventId: eventId.optional(),
  }),
  answerForm: 'events',
  errors: ['SYSTEM_BUSY'],
});

export const getStreamStatus = endpoint('getStreamStatus', {
  feature: 'events',
  method: 'GET',
  path: '/api/v1/sse/status',
  summary: 'How many event streams of mine are open',
  access: 'signed-in',
  rate: 'other',
  answer: z.object({ connected: z.boolean(), connectionCount: z.int().min(0) }),
});

export const disconnectEvents = endpoint('disconnectEvents', {
  feature: 'events',
  method: 'DELETE',
  path: '/api/v1/sse/disconnect',
  summary: 'End one of my event streams, or all',
  access: 'signed-in',
  rate: 'other',
  query: z.object({
    connectionId: z.string().min(1).max(64).optional().meta({ description: 'from the `connected` message' }),
  }),
});
