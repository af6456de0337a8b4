import type { Field } from '@portico/contract/contacts'
import type { Definition } from '@portico/contract/dashboards/definition'
import { todayIn } from '@portico/domain/days'
import type { Interaction } from '@portico/contract/dashboards/interaction'
import { parseFilter } from '@portico/contract/dashboards/dashboard-cells'
import { narrow } from '@portico/contract/dashboards/narrowing'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { useMemo } from 'react'
import { useFields } from '#domain/fields'
import { useSavedFilter } from '#domain/filters'
import { accountTimeZone } from '#lib/session/session.ts'
import type { FilledCell } from './cells/cell-props.ts'

export type CellStages = {
  /** The cell's filter, narrowed as the server narrows it, with saved filters expanded. */
  stages: Pipeline
  fields: readonly Field[]
}

/**
 * Narrowed stages of a cell, for screens that open the contacts behind it. Null while loading, and for users who may
 * not search.
 */
export function useCellStages(cell: FilledCell, definition: Definition, interaction: Interaction): CellStages | null {
  const { filter } = cell.chart
  const { data: fields } = useFields()
  const saved = useSavedFilter(filter?.predefined ?? null)
  const savedStages = saved.data?.stages
  const isLoading = filter?.predefined !== undefined && savedStages === undefined && saved.problem === null
  return useMemo(() => {
    if (!filter || !fields || isLoading) return null
    const own = savedStages ? [...savedStages, ...parsePipeline(filter.standard)] : parseFilter(filter)
    const today = todayIn(accountTimeZone() ?? 'UTC')
    return { stages: narrow(cell.id, own, { definition, interaction, fields, today }), fields }
  }, [cell.id, filter, fields, isLoading, savedStages, definition, interaction])
}
