import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { Logo } from './logo.tsx'
import css from './entry-frame.module.css'

type EntryFrameProps = { product: string; company: string; children: ReactNode }

/** A page outside the signed-in shell: the product's name and one card. */
export function EntryFrame({ product, company, children }: EntryFrameProps) {
  return (
    <main className={css['page']}>
      <div className={css['brand']}>
        <Logo size={38} />
        <div>
          <div className={css['product']}>{product}</div>
          {company !== product && <div className={css['company']}>{company}</div>}
        </div>
      </div>
      <Paper className={css['card'] ?? ''}>{children}</Paper>
    </main>
  )
}
