import type { Dashboard } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { kpiTemplateOf, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import type { DashboardCell } from '@portico/contract/dashboards/definition'
import type { Interaction } from '@portico/contract/dashboards/interaction'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { Paper, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import IconStar from '#icons/IconStar'
import {
  CellContent,
  type CellSource,
  type Choosing,
  interactionOfCell,
  storedDefinition,
  useDashboard,
} from '#domain/dashboards'
import css from './favourite-tiles.module.css'

/** More would be a dashboard of their own. */
const mostTiles = 6

type Tile = DashboardCell & { chart: CellChart }

const tilesOf = (dashboard: Dashboard): Tile[] =>
  storedDefinition(dashboard)
    .layout.flat()
    .flatMap(({ chart, ...cell }) => (chart?.type === 'KPI' ? [{ ...cell, chart }] : []))
    .slice(0, mostTiles)

/** The KPI tiles of a dashboard, and a link to it; renders nothing if it has no tiles. */
export function FavouriteTiles({ id, to }: { id: string; to: string }) {
  const { data: dashboard } = useDashboard(id)
  const tiles = useMemo(() => (dashboard ? tilesOf(dashboard) : []), [dashboard])
  const [interaction, change] = useState<Interaction>(noInteraction)
  const choosing = useMemo<Choosing>(() => ({ interaction, change }), [interaction])
  if (!dashboard || tiles.length === 0) return null
  return (
    <Paper component="section" className={css['card'] ?? ''} aria-labelledby="favourite-dashboard">
      <Title order={2} id="favourite-dashboard" className={css['title'] ?? ''}>
        <IconStar size={16} aria-hidden />
        <Link to={to}>{dashboard.name}</Link>
      </Title>
      <ul className={css['tiles']}>
        {tiles.map((tile) => (
          <OneTile key={tile.id} dashboard={dashboard} tile={tile} choosing={choosing} />
        ))}
      </ul>
    </Paper>
  )
}

function OneTile({ dashboard, tile, choosing }: { dashboard: Dashboard; tile: Tile; choosing: Choosing }) {
  const { _id, version } = dashboard
  const { id, chart } = tile
  const { interaction } = choosing
  const source = useMemo<CellSource>(
    () => ({
      kind: 'stored',
      dashboard: { _id, version },
      cell: id,
      interaction: interactionOfCell(interaction, id, chart),
    }),
    [_id, version, id, chart, interaction],
  )
  const template = kpiTemplateOf(chart)
  return (
    <li className={css['tile']} data-tall={template === ratioTemplate || undefined}>
      <h3 className={css['label']}>{chart.title || 'KPI'}</h3>
      <CellContent cell={tile} source={source} choosing={choosing} shows="chart" isVisible />
    </li>
  )
}
