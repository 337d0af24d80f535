// The pages of a PDF. The browser's own viewer shows them, in a process and an origin of its own; the bytes can be nothing
// but a PDF, whatever they are, for the type stands fast.
import { appFilesWords } from '@recordproof/shared/words/app-files.ts';
import { useEffect, useState } from 'react';
import { useLanguage } from '../../surroundings.ts';

const isPdf = (bytes: Uint8Array): boolean => new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-';

export function Pdf({ bytes, name }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly name: string }) {
  const say = appFilesWords[useLanguage()];
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  if (!isPdf(bytes)) return <p className="quiet small">{say.notPdf}</p>;
  return (
    <div className="preview pages">
      {url && <iframe src={`${url}#toolbar=0&navpanes=0&view=FitH`} title={say.pdfName(name)} />}
    </div>
  );
}
