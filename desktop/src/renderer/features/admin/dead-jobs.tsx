// Dead jobs and events: those whose last attempt failed.
import { type DeadJob, dropDeadJob, listDeadJobs, reviveDeadJob } from '@recordproof/shared/api/jobs.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useAccount, useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { AskButton } from '../../ui/dialog.tsx';
import { useAction, useLoad, usePolling } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { CommandLines, Pager } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';

/** Polls by itself, so that an open dialog in it is not interrupted. */
export function DeadJobs({ everyMs }: { readonly everyMs: number }) {
  const texts = useWords(adminWords);
  const { call } = useBridge();
  const [page, setPage] = useState(1);
  const { state, reload } = useLoad(
    `dead ${page}`,
    signal => call(listDeadJobs, { query: { page, size: 10 }, signal }),
    { keeps: true },
  );
  usePolling(everyMs, reload);
  if (state.kind === 'loading' || (state.kind === 'ready' && state.value.total === 0)) return null;
  return (
    <section>
      <h3>{texts.dead.title}</h3>
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && (
        <>
          <ul className="sheet">
            {state.value.records.map(job => (
              <li key={job.id} className="run">
                <DeadWork job={job} onChanged={reload} />
              </li>
            ))}
          </ul>
          <Pager page={state.value} onTurn={setPage} />
        </>
      )}
    </section>
  );
}

function DeadWork({ job, onChanged }: { readonly job: DeadJob; readonly onChanged: () => void }) {
  const { dead: texts } = useWords(adminWords);
  const language = useLanguage();
  const mayAct = useAccount().permissions.includes('system:admin');
  return (
    <>
      <header>
        <strong>{job.eventType === null ? job.kind : `${job.kind} (${job.eventType})`}</strong>
        <span className="quiet small">{texts.attempts(job.attempts)}</span>
        <span className="quiet small number when">{formatTime(job.createdAt, language)}</span>
      </header>
      <p className="small">{job.lastError ?? texts.noReason}</p>
      {mayAct && <DeadActions job={job} onChanged={onChanged} />}
      {mayAct && <CommandLines lines={adminCommands.deadJob(job.type, job.id)} />}
    </>
  );
}

function DeadActions({ job: { id, kind }, onChanged }: { readonly job: DeadJob; readonly onChanged: () => void }) {
  const { dead: texts } = useWords(adminWords);
  const { call } = useBridge();
  const params = { id };
  const revive = useAction(() => call(reviveDeadJob, { params }).then(onChanged));
  return (
    <>
      <Problem error={revive.error} />
      <div className="actions">
        <Button label={texts.revive} of={kind} variant="plain" disabled={revive.isBusy} onClick={() => revive.run()} />
        <AskButton
          label={texts.drop}
          of={kind}
          title={texts.dropAsk}
          text={texts.dropText}
          act={() => call(dropDeadJob, { params }).then(onChanged)}
        />
      </div>
    </>
  );
}
