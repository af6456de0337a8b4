import type { StorageUse as Use } from '@portico/contract/downloads'
import { Paper, Progress } from '@mantine/core'
import { formatFileSize } from '#lib/formats.ts'
import { useStorageUse } from './downloads-queries.ts'
import css from './storage-use.module.css'

const parts = [
  { key: 'exports', label: 'Exports', color: 'brand.6' },
  { key: 'reports', label: 'Rows set aside', color: 'orange.6' },
  { key: 'uploads', label: 'Uploads', color: 'teal.6' },
] as const

/** Storage used by the account's files, by kind; empty until known. */
export function StorageUse() {
  const { data } = useStorageUse()
  if (!data) return null
  return (
    <Paper component="section" className={css['card'] ?? ''} aria-label="Disk use">
      <div className={css['total']}>
        <span className={css['label']}>Disk use</span>
        <span className={css['value']}>
          {formatFileSize(data.total)}
          {data.quota !== null && <small> of {formatFileSize(data.quota)}</small>}
        </span>
      </div>
      <div className={css['parts']}>
        <Progress.Root size={8} aria-hidden>
          {parts.map(({ key, color }) => (
            <Progress.Section key={key} value={shareOf(data, key)} color={color} withAria={false} />
          ))}
        </Progress.Root>
        <dl className={css['list']}>
          {parts.map(({ key, label, color }) => (
            <div key={key} className={css['part']}>
              <dt>
                <span className={css['dot']} style={{ background: colorOf(color) }} aria-hidden />
                {label}
              </dt>
              <dd>{formatFileSize(data[key])}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Paper>
  )
}

/** Percent of the quota, or of all files without one. */
function shareOf({ total, quota, ...use }: Use, key: (typeof parts)[number]['key']): number {
  const whole = Math.max(quota ?? 0, total)
  return whole > 0 ? (use[key] / whole) * 100 : 0
}

const colorOf = (color: string): string => `var(--mantine-color-${color.replace('.', '-')})`
