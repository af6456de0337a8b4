import type { ChartPick } from '#ui/chart/chart-pick.ts'
import type { Drawing, Keys } from './chart-input.ts'

/** The groups that were chosen in a drawing; none where a click says nothing. */
export function keysOfPick({ values, legend, categories }: Drawing, pick: ChartPick): Keys {
  switch (pick.kind) {
    case 'value':
      return values.find(({ series, index }) => series === pick.series && index === pick.index)?.keys ?? []
    case 'legend':
      return legend.find(({ name }) => name === pick.name)?.keys ?? []
    case 'categories':
      return categories.slice(pick.from, pick.to + 1).flatMap(({ keys }) => keys)
  }
}
