// One endpoint of every shape that a contract can have.
import { pageOf, pageQuery, recordId } from '@recordproof/shared/api/common.ts';
import { type AnyEndpoint, endpoint } from '@recordproof/shared/api/endpoint.ts';
import { z } from 'zod';

const folder = z.object({
  name: z.string(),
  get folders() {
    return z.array(folder);
  },
});
const label = z.object({ colour: z.enum(['red', 'blue']).default('red') }).meta({ id: 'Label' });
const common = { feature: 'sample-things', access: 'file:read', rate: 'other' } as const;

export const listThings = endpoint('listThings', {
  ...common,
  route: 'GET /api/v1/things',
  aliases: ['/things'],
  summary: 'List <things>',
  description: 'Newest first & complete.',
  query: pageQuery(['createdAt', 'name']).extend({ owner: z.string().meta({ description: 'whose things' }) }),
  answer: pageOf(z.object({ id: recordId, label, root: folder })),
});

export const createThing = endpoint('createThing', {
  ...common,
  route: 'POST /api/v1/things',
  summary: 'Create a thing',
  access: 'signed-in',
  body: z.object({ name: z.string().max(20), label: label.optional(), tags: z.array(z.string()) }),
  answer: folder,
  errors: ['DATA_ALREADY_EXISTED', 'PARAM_IS_INVALID', 'FORBIDDEN'],
});

export const closeThing = endpoint('closeThing', {
  ...common,
  route: 'POST /api/v1/things/{id}/close',
  summary: 'Close a thing',
  params: z.object({ id: recordId }),
  headers: { 'X-Thing-Key': 'what opens the thing' },
  body: z.object({ note: z.string().optional() }),
  bodyForms: ['form', 'json'],
});

export const sendThing = endpoint('sendThing', {
  ...common,
  route: 'POST /api/v1/things/{id}/parts',
  summary: 'Send a part',
  params: z.object({ id: recordId }),
  body: z.object({ part: z.string().meta({ format: 'binary' }), number: z.coerce.number().int().min(0) }),
  bodyForms: ['multipart'],
});

export const putThing = endpoint('putThing', {
  ...common,
  route: 'PUT /api/v1/objects/**',
  summary: 'Put bytes',
  access: 'anonymous',
  params: z.object({ path: z.string() }),
  bodyForms: ['bytes'],
  answerForm: 'bytes',
});

export const watchThings = endpoint('watchThings', {
  ...common,
  route: 'GET /api/v1/things/events',
  summary: 'Watch',
  access: 'optional',
  answerForm: 'events',
});

export const followThings = endpoint('followThings', {
  ...common,
  route: 'GET /api/v1/things/follow',
  summary: 'Follow',
  access: 'signed-in',
  takesStreamToken: true,
  answerForm: 'events',
});

export const sampleEndpoints: readonly AnyEndpoint[] = [
  listThings,
  createThing,
  closeThing,
  sendThing,
  putThing,
  watchThings,
  followThings,
];
