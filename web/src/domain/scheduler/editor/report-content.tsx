import { isChartKind } from '@portico/contract/dashboards/cell-kinds'
import type { Definition } from '@portico/contract/dashboards/definition'
import { type ReportCell, reportedCells } from '@portico/contract/dashboards/reported-cells'
import { dashboardIdOf } from '@portico/contract/scheduler/instructions'
import { Checkbox, Input, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { storedDefinition, useDashboard } from '#domain/dashboards'
import { QueryInWords } from '#domain/results'
import { useFields } from '#domain/fields'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import type { FieldsProps } from './fields-props.ts'
import css from './report-content.module.css'
import { datesInWords } from './report-dates.ts'

/** The contents of a report: the dates and contacts that narrow it, and the chosen tables and charts of its dashboard. */
export function ReportContent(props: FieldsProps) {
  const { data: dashboard } = useDashboard(dashboardIdOf(props.values.url))
  const definition = useMemo(() => dashboard && storedDefinition(dashboard), [dashboard])
  if (!definition) return null
  return (
    <Stack gap="sm">
      <Filters values={props.values} definition={definition} />
      <CellChoice {...props} definition={definition} />
    </Stack>
  )
}

function Filters({ values: { rdl, offset }, definition }: Pick<FieldsProps, 'values'> & { definition: Definition }) {
  const { data: fields } = useFields()
  return (
    <DefinitionList
      columns={2}
      label="Filters of the report"
      items={[
        { term: 'Dates', value: fields && datesInWords({ definition, fields }, offset) },
        {
          term: 'Contacts',
          value: <QueryInWords query={rdl === null ? null : JSON.stringify([{ $predefined: rdl }])} />,
        },
      ]}
    />
  )
}

type CellChoiceProps = FieldsProps & { definition: Definition }

function CellChoice({ values: { cells: chosen }, onChange, problems, definition }: CellChoiceProps) {
  const cells = useMemo(() => reportedCells(definition), [definition])
  const gone = (chosen ?? []).filter((id) => !cells.some((cell) => cell.id === id))
  const choose = (id: string, isChosen: boolean): void => {
    const others = (chosen ?? cells.map((cell) => cell.id)).filter((each) => each !== id)
    onChange({ cells: isChosen ? [...others, id] : others })
  }
  const problem = problems.get('instruction.cells') ?? (chosen?.length === 0 ? 'Choose at least one.' : null)
  if (cells.length === 0 && gone.length === 0) return <Text size="sm">The dashboard has no table or chart.</Text>
  return (
    <fieldset className={css['cells']}>
      <legend>Tables and charts</legend>
      <Checkbox
        label="All, also those that are added later"
        checked={chosen === null}
        onChange={(event) => onChange({ cells: event.currentTarget.checked ? null : cells.map(({ id }) => id) })}
      />
      <ul className={css['list']}>
        {cells.map(({ id, title, chart }) => (
          <li key={id}>
            <Checkbox
              label={title}
              description={kindOf(chart)}
              checked={chosen === null || chosen.includes(id)}
              onChange={(event) => choose(id, event.currentTarget.checked)}
            />
          </li>
        ))}
        {gone.map((id) => (
          <li key={id}>
            <Checkbox
              label={`No longer on the dashboard (${id})`}
              description="Runs leave it out."
              checked
              onChange={() => choose(id, false)}
            />
          </li>
        ))}
      </ul>
      {problem && <Input.Error mt={8}>{problem}</Input.Error>}
    </fieldset>
  )
}

const kindOf = ({ type }: ReportCell['chart']): string => (isChartKind(type) ? 'Chart' : 'Table')
