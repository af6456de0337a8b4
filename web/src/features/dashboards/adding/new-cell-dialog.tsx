import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import type { DashboardCell } from '@portico/contract/dashboards/definition'
import { Skeleton, Text, Title, UnstyledButton } from '@mantine/core'
import { useId, useMemo, useState } from 'react'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { type ChosenKind, chosenKind, detailsOf, kinds, newChart } from '../configuration/cell-kinds.ts'
import { ChartConfigurationDialog } from '../configuration/chart-configuration-dialog.tsx'
import { KindPicture } from './kind-picture.tsx'
import css from './new-cell-dialog.module.css'
import { suggestionsFor } from './suggestions.ts'
import { useAccountData } from './use-account-data.ts'

type NewCellDialogProps = {
  /** The dashboard's cells: they are not suggested again. */
  cells: readonly DashboardCell[]
  onChosen: (chart: CellChart) => void
  onClose: () => void
}

/** Starts a cell: a suggestion is complete, a kind continues to its configuration. */
export function NewCellDialog({ cells, onChosen, onClose }: NewCellDialogProps) {
  const [kind, setKind] = useState<ChosenKind | null>(null)
  const blank = useMemo<DashboardCell>(
    () => ({ id: '', cols: dashboardLimits.cellWidth.most, chart: newChart(kind ?? 'Column', undefined) }),
    [kind],
  )
  if (kind !== null) return <ChartConfigurationDialog cell={blank} cells={cells} onSave={onChosen} onClose={onClose} />
  return (
    <FormDialog title="Add a Cell" width={860} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
      <div className={css['choices']}>
        <Suggestions
          cells={cells}
          onChosen={(chart) => {
            onChosen(chart)
            onClose()
          }}
        />
        <Kinds onChosen={setKind} />
      </div>
    </FormDialog>
  )
}

function Suggestions({ cells, onChosen }: Pick<NewCellDialogProps, 'cells' | 'onChosen'>) {
  const id = useId()
  const { data, isPending } = useAccountData()
  const suggestions = useMemo(() => suggestionsFor(data, cells), [data, cells])
  if (!isPending && suggestions.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <Title order={3} id={id}>
        Suggestions
      </Title>
      <Text size="xs" c="dimmed" mb={8}>
        Made from the data of this account, and ready to use.
      </Text>
      <ul className={css['suggestions']}>
        {isPending
          ? placeholders.map((place) => <Skeleton key={place} component="li" height={54} />)
          : suggestions.map((chart) => (
              <li key={`${chart.type} ${chart.title}`}>
                <UnstyledButton className={css['choice'] ?? ''} data-wide onClick={() => onChosen(chart)}>
                  <KindPicture kind={chosenKind(chart)} />
                  <span>
                    <span className={css['name']}>{chart.title}</span>
                    <span className={css['kind']}>{detailsOf(chosenKind(chart))?.label}</span>
                  </span>
                </UnstyledButton>
              </li>
            ))}
      </ul>
    </section>
  )
}

/** As many as there can be suggestions: the kinds below hardly move. */
const placeholders = Array.from({ length: 12 }, (_, place) => place)

function Kinds({ onChosen }: { onChosen: (kind: ChosenKind) => void }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={3} id={id}>
        Kinds
      </Title>
      <Text size="xs" c="dimmed" mb={8}>
        Choose one and configure it yourself.
      </Text>
      <ul className={css['kinds']}>
        {kinds.map(({ kind, label }) => (
          <li key={kind}>
            <UnstyledButton className={css['choice'] ?? ''} onClick={() => onChosen(kind)}>
              <KindPicture kind={kind} />
              <span className={css['name']}>{label}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  )
}
