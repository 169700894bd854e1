# SPDX-License-Identifier: Apache-2.0
"""What of JSON Schema our own schemas use: type, properties, required, additionalProperties, items, enum, const, minimum,
maximum, $ref to "#/...".

    wrong = json_schema.violations(document, schema)      sentences; empty: valid

Stricter than the standard: a member that the schema does not name is a violation, unless additionalProperties says what it is.
"""
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
KNOWN = {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "minimum", "maximum", "$ref", "$defs",
         "$schema", "title", "description"}


def _has_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def _resolve(reference, root):
    at = root
    for part in reference.lstrip("#/").split("/"):
        at = at[part]
    return at


def _members(value, schema, root, path):
    named, others = schema.get("properties", {}), schema.get("additionalProperties")
    for key in schema.get("required", []):
        if key not in value:
            yield f"{path}: no member {key}"
    for key, member in value.items():
        if key in named:
            yield from _check(member, named[key], root, f"{path}.{key}")
        elif others:
            yield from _check(member, others, root, f"{path}.{key}")
        else:
            yield f"{path}: a member {key} that the schema does not name"


def _check(value, schema, root, path):
    unknown = set(schema) - KNOWN
    if unknown:
        yield f"{path}: the schema uses {sorted(unknown)}, which is not judged here"
    if "$ref" in schema:
        yield from _check(value, _resolve(schema["$ref"], root), root, path)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(_has_type(value, name) for name in types):
        yield f"{path}: {value!r} is no {' or '.join(types)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{path}: {value!r} is not {schema['const']!r}"
    if value < schema["minimum"] if "minimum" in schema else False:
        yield f"{path}: {value} is too small"
    if value > schema["maximum"] if "maximum" in schema else False:
        yield f"{path}: {value} is too large"
    if isinstance(value, dict) and "object" in types:
        yield from _members(value, schema, root, path)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from _check(item, schema["items"], root, f"{path}[{i}]")


def violations(document, schema):
    return list(_check(document, schema, schema, "$"))
