import type { CellFilter } from '@portico/contract/dashboards/cell-chart'
import type { Field } from '@portico/contract/contacts'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { Button, Input, Text } from '@mantine/core'
import { useState } from 'react'
import IconFilter from '#icons/IconFilter'
import {
  emptyFilter,
  type Filter,
  FilterDialog,
  filterFields,
  type FilterTab,
  readFilter,
  sentenceOf,
  stagesOf,
} from '#domain/filters'
import { useLoadWhenIdle } from '#ui/page/load-when-idle.ts'

type FilterFieldProps = {
  label: string
  fields: readonly Field[]
  tabs: readonly FilterTab[]
  value: CellFilter
  onChange: (filter: CellFilter) => void
  error: string | undefined
  needsSecondLevel?: boolean
}

const openedParts = [FilterDialog]

/** The filter of a cell in the builder's form. */
function toFilter({ standard, columns = [], sort, predefined }: CellFilter, fields: readonly Field[]): Filter {
  const [entry] = Object.entries(sort ?? {})
  return {
    ...(predefined === undefined
      ? readFilter(parsePipeline(standard), filterFields(fields))
      : { ...emptyFilter, predefined }),
    columns,
    sort: entry ? { field: entry[0], order: entry[1] } : null,
  }
}

function toCellFilter(filter: Filter): CellFilter {
  const { columns, sort, predefined } = filter
  return {
    standard: predefined === null ? writePipeline(stagesOf({ ...filter, columns: [], sort: null })) : [],
    ...(columns.length > 0 && { columns }),
    ...(sort && { sort: { [sort.field]: sort.order } }),
    ...(predefined !== null && { predefined }),
  }
}

/** The filter of a cell in words, and the button that opens the builder. */
export function FilterField({
  label,
  fields,
  tabs,
  value,
  onChange,
  error,
  needsSecondLevel = false,
}: FilterFieldProps) {
  const [isOpen, setOpen] = useState(false)
  useLoadWhenIdle(openedParts, true)
  const filter = toFilter(value, fields)
  return (
    <Input.Wrapper label={label} error={error} labelElement="div">
      <Text size="sm" mb={6}>
        {sentenceOf(filter)}
      </Text>
      <Button variant="default" leftSection={<IconFilter size={15} aria-hidden />} onClick={() => setOpen(true)}>
        {`Edit ${label.toLowerCase()}`}
      </Button>
      {isOpen && (
        <FilterDialog
          title={label}
          fields={fields}
          value={filter}
          tabs={tabs}
          needsSecondLevel={needsSecondLevel}
          onApply={(next) => {
            onChange(toCellFilter(next))
            setOpen(false)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </Input.Wrapper>
  )
}
