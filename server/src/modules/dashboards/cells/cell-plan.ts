import { kpiTemplateOf, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import type { CellQuestion } from '@portico/contract/dashboards'
import type { CellChart, CellFilter } from '@portico/contract/dashboards/cell-chart'
import { parseFilter, type Surroundings } from '@portico/contract/dashboards/dashboard-cells'
import { todayIn } from '@portico/domain/days'
import type { Definition } from '@portico/contract/dashboards/definition'
import { narrow, narrowToPeriodBefore } from '@portico/contract/dashboards/narrowing'
import type { Stages } from '@portico/contract/filter'
import type { OffsetWindow } from '@portico/domain/scheduler/window-condition'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { listContactFields } from '#contacts'
import type { Saver, StoredCell } from '#credentials'
import type { Db } from '#platform/database.ts'
import type { AccountContext, AccountFacts } from '#platform/http/context.ts'
import type { UsedFilters } from '#saved-filters'
import type { CellPart, CellStages } from './cell-rows.ts'

// Plans the reading of a cell: its stages, narrowed by the choices in other cells.

export type Asking = Pick<AccountContext, 'db' | 'signal' | 'account' | 'caller' | 'rows'> & {
  /** Null for a report, which is not read from any address. */
  address: string | null
  /** Connection to read contacts from: for a report, as of one moment. */
  snapshot?: Db
}

export type Asked = {
  chart: CellChart
  target: string
  around: Surroundings
  /** Null for the caller's own question, which needs the caller's own rights. */
  saver: Saver | null
  part: Pick<CellQuestion, 'search' | 'sort' | 'skip' | 'limit' | 'refresh'> & Pick<CellPart, 'groups' | 'among'>
  /** For a report: stages that first choose among all contacts. Its answers are not remembered. */
  further?: Stages
  /** Called before the cell is read, to record by which right it was allowed. */
  onRead?: (reading: Pick<StoredCell, 'searches' | 'saver' | 'rule'>) => void
}

export async function surroundingsOf(
  { db, account, caller }: Pick<Asking, 'db' | 'account' | 'caller'>,
  definition: Definition,
  interaction: Surroundings['interaction'],
  window?: OffsetWindow,
): Promise<Surroundings> {
  const { timeZone, fieldsVersion } = factsOf(caller)
  const fields = await listContactFields(db, account, fieldsVersion)
  return { definition, interaction, fields, today: todayIn(timeZone), window }
}

export function factsOf({ facts }: { facts: AccountFacts | null }): AccountFacts {
  if (!facts) throw new Error('A cell needs an account.')
  return facts
}

/** The stages that a cell asks for, including those of the saved filters it uses, which are recorded in `used`. */
export async function stagesOf(
  { db, account }: Pick<Asking, 'db' | 'account'>,
  { chart, target, around, further = [] }: Pick<Asked, 'chart' | 'target' | 'around' | 'further'>,
  used: UsedFilters,
): Promise<CellStages> {
  const expand = async (stages: Stages): Promise<Pipeline> => parsePipeline(await used.expand(db, account, stages))
  const expanded = (filter: CellFilter | undefined): Promise<Pipeline> =>
    expand(filter ? writePipeline(parseFilter(filter)) : [])
  const own = [...(await expand(further)), ...(await expanded(chart.filter))]
  const before = (stages: Pipeline): Pipeline | null =>
    chart.type === 'KPI' ? narrowToPeriodBefore(target, stages, around) : null
  const previous = kpiTemplateOf(chart) === 'kpi-1' ? null : before(own)
  if (chart.type !== 'KPI' || kpiTemplateOf(chart) !== ratioTemplate) {
    return { filter: narrow(target, own, around), ...(previous && { previous }) }
  }
  const divisor = await expanded(chart.filter2)
  const previous2 = before(divisor)
  return {
    filter: narrow(target, own, around),
    filter2: narrow(target, divisor, around),
    ...(previous && { previous }),
    ...(previous2 && { previous2 }),
  }
}
