import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { cellIcons } from '@portico/contract/dashboards/cell-icons'
import { Title } from '@mantine/core'
import type { ComponentProps, ComponentType, ReactNode } from 'react'
import IconCalendar from '#icons/IconCalendar'
import IconChartArea from '#icons/IconChartArea'
import IconChartBar from '#icons/IconChartBar'
import IconChartDonut from '#icons/IconChartDonut'
import IconChartHistogram from '#icons/IconChartHistogram'
import IconChartLine from '#icons/IconChartLine'
import IconChartPie from '#icons/IconChartPie'
import IconMap2 from '#icons/IconMap2'
import IconMathFunction from '#icons/IconMathFunction'
import IconMathSymbols from '#icons/IconMathSymbols'
import IconSelect from '#icons/IconSelect'
import IconTable from '#icons/IconTable'
import IconTableColumn from '#icons/IconTableColumn'
import IconTextCaption from '#icons/IconTextCaption'
import css from './cell-head.module.css'

type Icon = ComponentType<ComponentProps<typeof IconTable>>

const icons: Record<(typeof cellIcons)[number], Icon> = {
  'chart-area': IconChartArea,
  'chart-bar': IconChartBar,
  'chart-column': IconChartHistogram,
  'chart-combo': IconMathSymbols,
  'chart-donut': IconChartDonut,
  'chart-geo': IconMap2,
  'chart-line': IconChartLine,
  'chart-pie': IconChartPie,
  table: IconTable,
  'table-paged': IconTable,
  'table-calculated': IconMathFunction,
  'table-pivot': IconTableColumn,
  kpi: IconMathSymbols,
  dropdown: IconSelect,
  'date-picker': IconCalendar,
  text: IconTextCaption,
}

/** The title of a cell with its icon, and its buttons on the right. */
export function CellHead({ chart, children }: { chart: CellChart; children?: ReactNode }) {
  const Icon = chart.icon && icons[chart.icon]
  return (
    <header className={css['head']}>
      {Icon && <Icon size={16} aria-hidden className={css['icon'] ?? ''} />}
      <Title order={2} className={css['title'] ?? ''} title={chart.title}>
        {chart.title}
      </Title>
      {children && <div className={css['buttons']}>{children}</div>}
    </header>
  )
}
