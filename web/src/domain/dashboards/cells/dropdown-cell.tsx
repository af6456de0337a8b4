import type { GroupValue } from '@portico/contract/dashboards/interaction'
import { Button, Popover } from '@mantine/core'
import { useState } from 'react'
import IconChevronDown from '#icons/IconChevronDown'
import { formatNumber } from '#lib/formats.ts'
import { LoadingBlock } from '#ui/feedback/loading-block.tsx'
import { deferred } from '#ui/page/deferred.tsx'
import { withChoice } from '../interaction-changes.ts'
import type { CellContentProps } from './cell-props.ts'

const DropdownValues = deferred(
  async () => (await import('./dropdown-values.tsx')).DropdownValues,
  () => <LoadingBlock height={120} />,
)

/** The values of a field, of which one or more are included or excluded. They narrow the other cells. */
export function DropdownCell({ cell, source, choosing, isVisible }: CellContentProps) {
  const { id, chart } = cell
  const [isOpen, setOpen] = useState(false)
  const chosen = choosing?.interaction.choices.find((choice) => choice.cell === id)
  const include = chosen?.include ?? []
  const exclude = chosen?.exclude ?? []
  const [mode, setMode] = useState<'include' | 'exclude'>(exclude.length > 0 ? 'exclude' : 'include')
  const isSeveral = chart.multipleSelect === true
  const values = mode === 'include' ? include : exclude
  const set = (next: readonly GroupValue[], how = mode): void =>
    choosing?.change((now) =>
      withChoice(now, id, how === 'include' ? { include: next, exclude: [] } : { include: [], exclude: next }),
    )
  const toggle = (value: GroupValue): void => {
    const isChosen = values.includes(value)
    if (isSeveral) set(isChosen ? values.filter((each) => each !== value) : [...values, value])
    else {
      set(isChosen ? [] : [value])
      setOpen(false)
    }
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width="target" shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          fullWidth
          justify="space-between"
          disabled={choosing === null}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onPointerEnter={() => void DropdownValues.load()}
          onClick={() => setOpen(!isOpen)}
          aria-label={`${chart.title || 'Values'}: ${summary(include, exclude)}`}
        >
          {summary(include, exclude)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown miw={240}>
        {isOpen && (
          <DropdownValues
            {...{ cell, source, isVisible, values }}
            mode={chart.multipleSelect === true ? mode : null}
            onMode={(how) => {
              setMode(how)
              if (values.length > 0) set(values, how)
            }}
            onToggle={toggle}
            onClear={() => set([])}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  )
}

function summary(include: readonly GroupValue[], exclude: readonly GroupValue[]): string {
  if (include.length === 0 && exclude.length === 0) return 'All'
  const values = include.length > 0 ? include : exclude
  const text = values.length === 1 ? String(values[0] ?? '(no value)') : `${formatNumber(values.length)} values`
  return include.length > 0 ? text : `All but ${text}`
}
