import { z } from 'zod'
import { dashboardLimits } from './dashboard-limits.ts'
import { allTime, isDay, isPreset } from '@portico/domain/days'

const cell = z.string().max(50)
/** A value of a group; null for contacts without one. */
const GroupValue = z.union([z.string().max(100_000), z.number(), z.boolean(), z.null()])
export type GroupValue = z.output<typeof GroupValue>

const Day = z.string().refine(isDay, 'Enter a date, such as 2026-01-31.')

/** The days selected in a date picker, or in a KPI tile with its own range. */
export const ChosenRange = z.union([
  z.strictObject({
    cell,
    preset: z.string().refine((value) => value === allTime || isPreset(value), 'Value is invalid!'),
  }),
  z.strictObject({ cell, from: Day, to: Day }),
])
export type ChosenRange = z.output<typeof ChosenRange>

/** A viewer's selections on a dashboard. Each entry names the cell in which it was made. */
export const Interaction = z.strictObject({
  /** Groups clicked in charts: the values of the cell's keys, in order. */
  clicks: z
    .array(
      z.strictObject({
        cell,
        keys: z.array(z.array(GroupValue).min(1).max(2)).min(1).max(dashboardLimits.groups),
      }),
    )
    .max(dashboardLimits.cells)
    .default([]),
  /** Values selected in dropdowns. */
  choices: z
    .array(
      z.strictObject({
        cell,
        include: z.array(GroupValue).max(dashboardLimits.chosenValues).default([]),
        exclude: z.array(GroupValue).max(dashboardLimits.chosenValues).default([]),
      }),
    )
    .max(dashboardLimits.cells)
    .default([]),
  /** In the order in which they were changed: if several pickers share a field, the last one counts. */
  ranges: z.array(ChosenRange).max(dashboardLimits.cells).default([]),
})
export type Interaction = z.output<typeof Interaction>
