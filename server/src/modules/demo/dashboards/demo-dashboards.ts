import type { dashboardTags } from '@portico/contract/dashboards'
import type { DemoAccount } from '../demo-account.ts'
import { behaviorRows } from './behavior.ts'
import { businessRows } from './business.ts'
import { wordsOf } from './business-words.ts'
import { overviewRows } from './overview.ts'

/** A dashboard of the demo. */
export type DemoDashboard = { name: string; tags: (typeof dashboardTags)[number][]; definition: string }

const definition = (layout: readonly object[][]): string => JSON.stringify({ layout })

/** The dashboards of a demo account. Together they have every kind of cell. The first is a favorite. */
export function demoDashboards(account: DemoAccount): DemoDashboard[] {
  const words = wordsOf(account)
  return [
    { name: 'Overview', tags: ['channel', 'score'], definition: definition(overviewRows(words)) },
    { name: 'Behavior', tags: ['event', 'page'], definition: definition(behaviorRows()) },
    { name: words.business, tags: ['goal', 'score'], definition: definition(businessRows(words)) },
  ]
}
