import { filterLimits, type Stages } from '@portico/contract/filter'
import { invalidFilter } from './filter-field.ts'

/** Finds the stages of a saved filter, which follow those `before`; null if there is none with this id. */
export type FindPredefined = (id: string, before: Stages) => Promise<Stages | null>

/**
 * Replaces each `{$predefined: id}` by the stages of the saved filter, recursively.
 * @throws invalid_filter if a saved filter does not exist, or uses itself
 */
export async function expandPredefined(stages: Stages, find: FindPredefined): Promise<Stages> {
  return expand(stages, find, { within: [], before: [] }, { found: 0 })
}

async function expand(
  stages: Stages,
  find: FindPredefined,
  { within, before }: { within: string[]; before: Stages },
  count: { found: number },
): Promise<Stages> {
  const expanded: Stages = []
  for (const stage of stages) {
    const names = Object.keys(stage)
    if (names.length !== 1 || names[0] !== '$predefined') {
      expanded.push(stage)
      continue
    }
    const id = stage['$predefined']
    if (typeof id !== 'string') throw invalidFilter('"$predefined" needs the id of a saved filter.')
    if (within.includes(id)) throw invalidFilter('A saved filter cannot be part of itself.')
    // Look-ups are limited too: a few filters that use each other many times would take long.
    if (++count.found > filterLimits.stages) throw tooMany()
    const preceding = [...before, ...expanded]
    const found = await find(id, preceding)
    if (!found) throw invalidFilter('The saved filter could not be found.')
    expanded.push(...(await expand(found, find, { within: [...within, id], before: preceding }, count)))
    if (expanded.length > filterLimits.stages) throw tooMany()
  }
  return expanded
}

function tooMany() {
  return invalidFilter(`A filter takes at most ${filterLimits.stages} stages.`)
}
