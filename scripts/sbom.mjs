// `npm run sbom`: prints the components of the product as CycloneDX, without those only needed for development.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { root, Trouble } from './run.mjs'

/**
 * The parts of a component list that this file reads.
 * @typedef {{ name: string, version: string, 'bom-ref': string, properties?: { name: string, value: string }[] }}
 * Component
 * @typedef {{ components: Component[], dependencies: { ref: string, dependsOn: string[] }[] }} Sbom
 */

/**
 * Lists the components. Does its own filtering: npm's `--omit dev` also omits packages that both the product and its
 * development depend on, such as `pg`.
 * @returns {Sbom}
 */
export function productSbom() {
  const args = ['sbom', '--sbom-type', 'application', '--sbom-format', 'cyclonedx']
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Trouble(`npm could not list the components. Run "npm ci" first.\n${stderr}`)
  return withoutDevelopment(JSON.parse(stdout))
}

/**
 * @param {Sbom} sbom
 * @returns {Sbom}
 */
function withoutDevelopment(sbom) {
  const dropped = new Set(sbom.components.filter(isForDevelopment).map((component) => component['bom-ref']))
  return {
    ...sbom,
    components: sbom.components.filter((component) => !dropped.has(component['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => !dropped.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => !dropped.has(each)) })),
  }
}

/** @param {Component} component */
function isForDevelopment({ properties = [] }) {
  return properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(productSbom(), null, 2))
