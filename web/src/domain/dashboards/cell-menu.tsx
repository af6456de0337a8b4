import type { CellAnswer } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import type { Interaction } from '@portico/contract/dashboards/interaction'
import { ActionIcon, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import IconDots from '#icons/IconDots'
import IconRefresh from '#icons/IconRefresh'
import { messageOf } from '#lib/api/api-error.ts'
import { useCan } from '#lib/session/session.ts'
import type { ChartHandle } from '#ui/chart/chart.tsx'
import { notifyError } from '#ui/feedback/notify.ts'
import type { SearchDialog } from './cell-search.tsx'
import type { FilledCell } from './cells/cell-props.ts'
import { FileItems, ImageItems, SearchDialogs, SearchItems, SeriesItems } from './on-demand.ts'
import { asOfCell, type CellSource, keyOfCell, refreshCell, useCellAnswer, wholeCell } from './dashboard-queries.ts'

type CellMenuProps = {
  cell: FilledCell
  source: CellSource
  definition: Definition
  interaction: Interaction
  /** The cell's chart, if one is shown now. */
  picture: ChartHandle | null
  hidden: readonly string[]
  /** Hides series and slices of its chart. */
  onHide: (names: string[]) => void
  /** Opens the events behind the cell. */
  onEvents: () => void
}

const withoutRows: string[] = ['Text', 'DatePicker', 'Dropdown']

/** The actions of a cell: refresh it, save its rows or its image, open the contacts behind it. */
export function CellMenu(props: CellMenuProps) {
  const { cell, source } = props
  const client = useQueryClient()
  const [dialog, setDialog] = useState<SearchDialog | null>(null)
  if (withoutRows.includes(cell.chart.type)) return null
  const known = (): CellAnswer | undefined => client.getQueryData<CellAnswer>(keyOfCell(source))
  return (
    <>
      <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon size={24} aria-label={`Menu of ${cell.chart.title || cell.chart.type}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Entries {...props} onDialog={setDialog} />
        </Menu.Dropdown>
      </Menu>
      {dialog && <SearchDialogs dialog={dialog} cell={cell} answer={known()} onClose={() => setDialog(null)} />}
    </>
  )
}

/** The entries of the open menu. Those that need the answer or the chart appear once it is available. */
function Entries(props: CellMenuProps & { onDialog: (dialog: SearchDialog) => void }) {
  const { cell, source, definition, interaction, picture, hidden, onHide, onEvents, onDialog } = props
  const client = useQueryClient()
  const canOpen = useCan('contact-offers-list')
  const { data: answer } = useCellAnswer(source, wholeCell, { isWanted: false })
  const { chart } = cell
  const asOf = answer?.asOf ?? asOfCell(client, source)
  const refresh = async (): Promise<void> => {
    try {
      await refreshCell(client, source)
    } catch (error) {
      notifyError(messageOf(error))
    }
  }
  return (
    <>
      {asOf !== null && <Menu.Label>{`As of ${new Date(asOf).toLocaleTimeString('en-GB')}`}</Menu.Label>}
      <Menu.Item leftSection={<IconRefresh size={15} aria-hidden />} onClick={() => void refresh()}>
        Refresh
      </Menu.Item>
      {(chart.type === 'PaginaTable' || (answer && chart.type !== 'KPI')) && (
        <FileItems {...{ chart, source, answer }} />
      )}
      {picture && <ImageItems drawn={picture} name={chart.title || chart.type} />}
      {picture && <SeriesItems cell={cell} answer={answer} hidden={hidden} onHide={onHide} />}
      {canOpen && <SearchItems {...{ cell, definition, interaction, onEvents }} onDialog={onDialog} />}
    </>
  )
}
