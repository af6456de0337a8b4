import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { isMenuVisible } from '#lib/session/menus.ts'
import { useCan, useUser } from '#lib/session/session.ts'
import { LoadingBlock } from '#ui/feedback/loading-block.tsx'
import { useContactCount, useExportsThisMonth, useImportCount, useLastImport } from './home-queries.ts'
import css from './figures.module.css'

/** Key figures of the account that the user may see; each links to its source. */
export function Figures() {
  // Each figure links to a screen of the List Service, which the account's preferences may hide.
  const isShown = isMenuVisible({ menu: 'contactservice' }, useUser())
  const canContacts = useCan('contact-offers-list') && isShown
  const canImports = useCan('contact-import-list') && isShown
  const canExports = useCan('contact-export-list') && isShown
  const contacts = useContactCount(canContacts)
  const imports = useImportCount(canImports)
  const lastImport = useLastImport(canImports)
  const exports = useExportsThisMonth(canExports)
  if (!canContacts && !canImports && !canExports) return null
  return (
    <ul className={css['figures']} aria-label="Account figures">
      {canContacts && <Figure label="Contacts" to={paths.contacts()} query={contacts} show={formatNumber} />}
      {canImports && <Figure label="Imports" to={paths.imports()} query={imports} show={formatNumber} />}
      {canExports && <Figure label="Exports this month" to={paths.exports()} query={exports} show={formatNumber} />}
      {canImports && (
        <Figure
          label="Last import"
          to={paths.imports()}
          query={lastImport}
          show={(last) => (last ? last.name : 'None yet')}
          hint={(last) => (last ? `${last.status}, ${formatDate(last.creationDate)}` : '')}
          isText
        />
      )}
    </ul>
  )
}

type FigureProps<T> = {
  label: string
  to: string
  query: UseQueryResult<T>
  show: (value: T) => ReactNode
  hint?: (value: T) => string
  /** Text instead of a number. */
  isText?: boolean
}

function Figure<T>({ label, to, query, show, hint, isText = false }: FigureProps<T>) {
  const { data, isPending, isError } = query
  return (
    <li>
      <Link to={to} className={css['figure']}>
        <span className={css['label']}>{label}</span>
        <span className={css['value']} data-text={isText || undefined}>
          {isPending ? <LoadingBlock height={22} width={90} my={4} /> : null}
          {isError ? <span title="This could not be loaded">–</span> : null}
          {data === undefined ? null : show(data)}
        </span>
        {hint && <span className={css['hint']}>{data !== undefined && hint(data)}</span>}
      </Link>
    </li>
  )
}
