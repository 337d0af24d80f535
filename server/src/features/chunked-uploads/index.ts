// Chunked uploads: chunks are received, checked, and completed into a file by a saga.
import { feature } from '../../platform/feature.ts';
import { completionSaga } from './completion-saga.ts';
import { chunkedUploadRoutes } from './routes.ts';

export { completeUpload } from './complete-upload.ts';
export { isReadByThread, readOn } from './content-check.ts';
export { acknowledgeChunk, receiveChunk } from './receive-chunk.ts';
export { forgetLostChunks } from './stored-parts.ts';

export const chunkedUploads = feature({
  name: 'chunked-uploads',
  layer: 3,
  open: server => ({ routes: chunkedUploadRoutes(server), sagas: [completionSaga(server)] }),
});
