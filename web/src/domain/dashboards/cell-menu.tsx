import type { CellAnswer } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import type { Interaction } from '@portico/contract/dashboards/interaction'
import { ActionIcon, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, Suspense, useState } from 'react'
import IconDots from '#icons/IconDots'
import IconFileTypeCsv from '#icons/IconFileTypeCsv'
import IconRefresh from '#icons/IconRefresh'
import { messageOf } from '#lib/api/api-error.ts'
import { useCan } from '#lib/session/session.ts'
import type { ChartHandle } from '#ui/chart/chart.tsx'
import { notifyError } from '#ui/feedback/notify.ts'
import { saveCsv } from './cell-csv.ts'
import type { SearchDialog } from './cell-search.tsx'
import type { FilledCell } from './cells/cell-props.ts'
import { ImageItems } from './image-items.tsx'
import { SearchDialogs, SearchItems, SeriesItems } from './on-demand.ts'
import { askCell, type CellSource, wholeCell } from './dashboard-queries.ts'

type CellMenuProps = {
  cell: FilledCell
  source: CellSource
  definition: Definition
  interaction: Interaction
  /** The drawn chart of the cell, if it has one at the moment. */
  picture: RefObject<ChartHandle | null>
  hidden: readonly string[]
  /** Hides series and slices of its chart. */
  onHide: (names: string[]) => void
  /** Opens the events behind the cell. */
  onEvents: () => void
}

const withoutRows: string[] = ['Text', 'DatePicker', 'Dropdown']

/** The actions of a cell: read it again, save its rows or its image, open the contacts behind it. */
export function CellMenu({ cell, source, definition, interaction, picture, hidden, onHide, onEvents }: CellMenuProps) {
  const client = useQueryClient()
  const canOpen = useCan('contact-offers-list')
  const [asOf, setAsOf] = useState<string | null>(null)
  const [drawn, setDrawn] = useState<ChartHandle | null>(null)
  const [dialog, setDialog] = useState<SearchDialog | null>(null)
  if (withoutRows.includes(cell.chart.type)) return null
  const queryKey = ['dashboards', 'cell', source, wholeCell]
  const known = (): CellAnswer | undefined => client.getQueryData<CellAnswer>(queryKey)
  const refresh = async (): Promise<void> => {
    try {
      const answer = await askCell(source, wholeCell, { refresh: true })
      client.setQueryData(queryKey, answer)
      await client.invalidateQueries({ queryKey: ['dashboards', 'cell', source] })
    } catch (error) {
      notifyError(messageOf(error))
    }
  }
  const open = (): void => {
    setAsOf(known()?.asOf ?? null)
    setDrawn(picture.current)
  }
  const save = (): void => {
    const answer = known()
    if (answer) saveCsv(cell.chart, answer)
  }
  return (
    <>
      <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false} onOpen={open}>
        <Menu.Target>
          <ActionIcon size={24} aria-label={`Menu of ${cell.chart.title || cell.chart.type}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {asOf !== null && <Menu.Label>{`As of ${new Date(asOf).toLocaleTimeString('en-GB')}`}</Menu.Label>}
          <Menu.Item leftSection={<IconRefresh size={15} aria-hidden />} onClick={() => void refresh()}>
            Refresh
          </Menu.Item>
          {asOf !== null && cell.chart.type !== 'KPI' && (
            <Menu.Item leftSection={<IconFileTypeCsv size={15} aria-hidden />} onClick={save}>
              Save as CSV
            </Menu.Item>
          )}
          {drawn && <ImageItems drawn={drawn} name={cell.chart.title || cell.chart.type} />}
          <Suspense>
            {drawn && <SeriesItems cell={cell} answer={known()} hidden={hidden} onHide={onHide} />}
            {canOpen && <SearchItems {...{ cell, definition, interaction, onEvents }} onDialog={setDialog} />}
          </Suspense>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {dialog && <SearchDialogs dialog={dialog} cell={cell} answer={known()} onClose={() => setDialog(null)} />}
      </Suspense>
    </>
  )
}
