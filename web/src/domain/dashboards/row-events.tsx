import type { Offer } from '@portico/contract/contacts'
import { contactsBehind, eventsBehind } from '@portico/domain/pipeline/behind'
import { toPlace } from '@portico/domain/dashboards/time-places'
import type { Definition } from '@portico/contract/dashboards/definition'
import { type Grouping, readGrouping } from '@portico/domain/pipeline/grouping'
import { isClickable } from '@portico/contract/dashboards/dashboard-cells'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { fieldTerm, matching } from '@portico/domain/pipeline/terms'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { keyText } from '#domain/charts'
import { contactLabel } from '#domain/fields'
import { FoundEventsDialog, searchPath } from '#domain/results'
import { notifyError } from '#ui/feedback/notify.ts'
import { type CellStages, useCellStages } from './cell-stages.ts'
import type { CellRow, FilledCell } from './cells/cell-props.ts'
import type { Choosing } from './interaction-address.ts'
import { withClick } from './interaction-changes.ts'

type RowEventsProps = {
  cell: FilledCell
  definition: Definition
  choosing: Choosing
  /** A contact, or a group by some or all of the cell's keys; null for everything that the cell shows. */
  row: CellRow | null
  onClose: () => void
}

/** The events behind a row of a cell (specification 4 §2), with links onward. */
export function RowEvents({ cell, definition, choosing, row, onClose }: RowEventsProps) {
  const known = useCellStages(cell, definition, choosing.interaction)
  const behind = known && behindRow(known, row)
  const isImpossible = behind !== null && behind.events === null
  useEffect(() => {
    if (!isImpossible) return
    notifyError('The events behind a computed group cannot be listed.')
    onClose()
  }, [isImpossible, onClose])
  if (!behind?.events) return null
  const { grouping, contacts } = behind
  const isWhole = row !== null && grouping !== null && grouping.keys.every(({ name }) => Object.hasOwn(row, name))
  const canNarrow = isWhole && grouping.keys.length > 0 && isClickable(cell.chart)
  const narrow = (): void => {
    if (row && grouping)
      choosing.change((now) => withClick(now, cell.id, [grouping.keys.map(({ name }) => toPlace(row[name]))]))
    onClose()
  }
  return (
    <FoundEventsDialog
      stages={behind.events}
      about={[cell.chart.title, behind.name].filter((part) => part !== '').join(' · ')}
      actions={
        <>
          {canNarrow && (
            <Button variant="default" onClick={narrow}>
              Filter the dashboard
            </Button>
          )}
          {contacts && (
            <Button component={Link} to={searchPath(contacts)} variant="default">
              Open contacts
            </Button>
          )}
        </>
      }
      onClose={onClose}
    />
  )
}

type Behind = { events: Pipeline | null; contacts: Pipeline | null; grouping: Grouping | null; name: string }

function behindRow({ stages, fields }: CellStages, row: CellRow | null): Behind {
  const grouping = readGrouping(stages, fields)
  if (row && !grouping && '_id' in row) {
    const one = [...stages, ...matching([fieldTerm('_id', row['_id'])])]
    return {
      events: eventsBehind(one, null, fields),
      contacts: null,
      grouping: null,
      name: contactLabel(row as Offer, fields),
    }
  }
  const keys = grouping?.keys.filter(({ name }) => row && Object.hasOwn(row, name)) ?? []
  return {
    events: eventsBehind(stages, row, fields),
    contacts: contactsBehind(stages, row ?? {}, fields),
    grouping,
    name: keys
      .map((key) => `${key.name === '_id' ? key.field : key.name}: ${keyText(row?.[key.name], key)}`)
      .join(' · '),
  }
}
