// PDF of the app: drawn by a worker of its page.
import type { PdfReader } from '@recordproof/shared/browser/pdf-messages.ts';
import { openPdfReader } from '@recordproof/shared/browser/pdf-reader.ts';
import { openWorker } from './workers.ts';

export const openPdf = (bytes: Uint8Array<ArrayBuffer>): PdfReader => openPdfReader(openWorker('pdf-worker'), bytes);
