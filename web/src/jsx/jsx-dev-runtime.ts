import { Fragment, jsxDEV as reactJsx } from 'react/jsx-dev-runtime'
import { shownProps } from './jsx-runtime.ts'

export { Fragment }

/** The same of a server for development and of tests. */
export const jsxDEV: typeof reactJsx = (type, props, ...others) => reactJsx(type, shownProps(props), ...others)
