// Storage: stored bytes, object stores, and the chain.
import { getSystemMonitor, type SystemMonitor } from '@recordproof/shared/api/system.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatNumber, formatSize, formatTime } from '../../format.ts';
import { useLoad, usePolling } from '../../ui/hooks.ts';
import { NotLoaded, Problem } from '../../ui/states.tsx';
import { CommandLines, Figures } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';

const everyMs = 30_000;

export function StoragePart() {
  const { call } = useBridge();
  const { state, reload } = useLoad('storage', signal => call(getSystemMonitor, { signal }), { keeps: true });
  usePolling(everyMs, reload);
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  const { stats, installation, chain } = state.value;
  return (
    <div className="scroll">
      <div className="report">
        <Problem error={state.error} />
        <Stored stats={stats} />
        <Nodes nodes={installation?.storageNodes} />
        <ChainFacts chain={chain} />
        <CommandLines lines={adminCommands.storage()} />
      </div>
    </div>
  );
}

function Stored({ stats }: Pick<SystemMonitor, 'stats'>) {
  const { store: texts } = useWords(adminWords);
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  return (
    <Figures
      of={{
        [texts.files]: count(stats.totalFiles),
        [texts.bytes]: formatSize(stats.totalStorage),
        [texts.users]: count(stats.totalUsers),
        [texts.transactions]: count(stats.totalTransactions),
        [texts.uploads]: count(stats.todayUploads),
        [texts.downloads]: count(stats.todayDownloads),
      }}
    />
  );
}

type Node = NonNullable<SystemMonitor['installation']>['storageNodes'][number];

function Nodes({ nodes }: { readonly nodes: readonly Node[] | undefined }) {
  const { store: texts } = useWords(adminWords);
  return (
    <section>
      <h3>{texts.nodes}</h3>
      {nodes === undefined && <p className="note">{texts.hidden}</p>}
      {nodes !== undefined && (
        <ul className="sheet">
          {nodes.map(({ node, online, usagePercent }) => (
            <li key={node} className="component">
              <strong>{node}</strong>
              <span className={`chip ${online ? 'good' : 'bad'}`}>{online ? texts.online : texts.offline}</span>
              <span className="quiet small number">
                {usagePercent === null ? texts.unknown : texts.used(Math.round(usagePercent))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ChainFacts({ chain }: Pick<SystemMonitor, 'chain'>) {
  const { store: texts } = useWords(adminWords);
  const language = useLanguage();
  const { blockNumber, chainType, transactionCount, failedTransactionCount, lastUpdateTime } = chain;
  return (
    <section>
      <h3>{texts.chain}</h3>
      <Figures
        of={{
          [texts.kind]: chainType,
          [texts.height]: blockNumber === null ? texts.noAnswer : formatNumber(blockNumber, language),
          [texts.transactions]: formatNumber(transactionCount, language),
          [texts.failed]: formatNumber(failedTransactionCount, language),
        }}
      />
      {lastUpdateTime !== null && <p className="quiet small">{formatTime(lastUpdateTime, language)}</p>}
    </section>
  );
}
