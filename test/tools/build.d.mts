export declare const TOOL_NAMES: readonly string[];
/** The folder with a tool's binaries and files, whether it exists or not. */
export declare function toolFolder(tool: string): string;
/** Builds the named tools, all when none is named, unless the cache has them. */
export declare function buildTools(names?: readonly string[]): void;
