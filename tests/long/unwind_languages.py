#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks of C++, Rust and Go programs that throw and panic deep in their callers: as libdw unwinds them, and perf.

A language whose compiler is missing is skipped. Prints what was compared; SAMPLES_HZ (2000).
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if os.uname().machine != "x86_64":
    tap.skip_all("unwind tables are made for x86-64")
if not tap.can_record_all():
    tap.skip_all("recording needs root")
CPP = r"""
#include <stdexcept>
#include <string>
static volatile unsigned long sink;
struct Guard {
	unsigned long n;
	~Guard() { for (unsigned long i = 0; i < n; i++) sink += i; }
};
__attribute__((noinline)) void thrower(int depth, int i)
{
	Guard guard{200};
	if (!depth && i % 2)
		throw std::runtime_error("odd" + std::to_string(i));
	if (!depth)
		throw i;
	thrower(depth - 1, i);
	sink++;
}
__attribute__((noinline)) void rethrower(int i)
{
	try { thrower(12, i); } catch (const std::exception &e) {
		for (int k = 0; k < 3000; k++) sink += e.what()[0];
		throw;
	}
}
__attribute__((noinline)) void catcher(int i)
{
	try { rethrower(i); } catch (const std::runtime_error &e) {
		for (int k = 0; k < 3000; k++) sink += e.what()[0];
	} catch (int v) {
		for (int k = 0; k < 3000; k++) sink += v;
	}
}
int main(int, char **argv)
{
	for (int i = 0; i < std::stoi(argv[1]); i++)
		catcher(i);
}
"""
RUST = r"""
use std::collections::HashMap;
use std::panic;
fn work(n: u64) -> u64 {
    let mut m: HashMap<String, u64> = HashMap::new();
    for i in 0..n { *m.entry(format!("{}", i * 7919 % 1009)).or_insert(0) += i; }
    let mut v: Vec<_> = m.into_iter().collect();
    v.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    v.iter().map(|x| x.1).sum()
}
#[inline(never)]
fn panics(n: u64) -> u64 { if n == 0 { panic!("deep") } panics(n - 1) + 1 }
fn main() {
    let rounds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    panic::set_hook(Box::new(|_| {}));
    let mut sum = 0;
    for _ in 0..rounds {
        sum += work(2000);
        for _ in 0..20 { if panic::catch_unwind(|| panics(20)).is_err() { sum += 1; } }
    }
    println!("{}", sum);
}
"""
GO = r"""
package main

import ("fmt"; "os"; "sort"; "strconv")

type node struct { l, r *node; v int }

func insert(n *node, v int) *node {
	if n == nil { return &node{v: v} }
	if v < n.v { n.l = insert(n.l, v) } else { n.r = insert(n.r, v) }
	return n
}

func panics(depth int) (r int) {
	defer func() { if recover() != nil { r = 1 } }()
	if depth == 0 { panic("deep") }
	return panics(depth-1) + 1
}

func work(k int) int {
	var root *node
	m := map[string]int{}
	for i := 0; i < 2000; i++ { v := i*7919%10007 + k; root = insert(root, v); m[strconv.Itoa(v)] += v }
	names := []string{}
	for s := range m { names = append(names, s) }
	sort.Slice(names, func(a, b int) bool { return names[a] < names[b] })
	return len(names) + panics(10)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	done := make(chan int)
	for j := 0; j < 2; j++ {
		go func() { sum := 0; for i := 0; i < n; i++ { sum += work(i) }; done <- sum }()
	}
	fmt.Println(<-done + <-done)
}
"""
C_SORT = r"""
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned long sink;
static int compare(const void *a, const void *b) { for (int i = 0; i < 20; i++) sink += i; return *(int *)a - *(int *)b; }
__attribute__((noinline)) void sorts(int n)
{
	int a[500];
	char text[200];
	for (int i = 0; i < 500; i++) a[i] = (i * 7919 + n) % 1009;
	qsort(a, 500, sizeof(int), compare);
	for (int i = 0; i < 500; i++) sink += snprintf(text, 200, "%d %s %f", a[i], "abc", a[i] * 1.5);
}
int main(int c, char **v) { for (int i = 0; i < atoi(v[1]); i++) sorts(i); return c - 2; }
"""
PROGRAMS = (
    ("C++", "exceptions", "cc", CPP, ["g++", "-O2"], "20000"),
    ("C++, static-pie, no frame pointers", "static_exceptions", "cc", CPP, ["g++", "-O3", "-fomit-frame-pointer", "-static-pie"],
     "20000"),
    ("C, not relocatable", "static_sorts", "c", C_SORT, ["gcc", "-O2", "-static", "-no-pie"], "2000"),
    ("Rust", "rust", "rs", RUST, ["rustc", "-O"], "1500"),
    ("Go", "go", "go", GO, ["go", "build"], "200"),
)


def chains(tool, capture, *options):
    text = subprocess.run([tool, "script", "-F", "tid,time,ip", "-i", capture, *options], capture_output=True, text=True, timeout=300)
    found = {}
    for block in text.stdout.split("\n\n"):
        lines = [line.split() for line in block.strip("\n").split("\n")]
        if lines[0]:
            found[tuple(lines[0])] = [line[0] for line in lines[1:] if line]
    return found, text.stderr


def compare(what, name, capture):
    ours, said = chains(tap.TSTREAM, capture, "--unwind=both")
    tap.ok(re.search(r"^tstream: note: libdw unwinds 0 of [1-9]\d* samples differently$", said, re.M), f"{what}: libdw unwinds alike",
           said)
    if not tap.PERF:
        return
    theirs, _ = chains(tap.PERF, capture, "--no-inline")
    same = sum(theirs.get(head) == stack for head, stack in ours.items())
    longer = sum(len(stack) > len(theirs.get(head, [])) for head, stack in ours.items())
    print(f"# {what}: {len(ours)} samples, {same} as perf unwinds them, {longer} longer", flush=True)


for what, name, ending, source, command, amount in PROGRAMS:
    if not shutil.which(command[0]):
        tap.skip(f"{what}: libdw unwinds alike", f"{command[0]} is not installed")
        continue
    path, program, capture = tap.path(f"{name}.{ending}"), tap.path(name), tap.path(name + ".cap")
    with open(path, "w") as f:
        f.write(source)
    built = subprocess.run([*command, "-o", program, path], capture_output=True, text=True, cwd=os.path.dirname(path),
                           env={**os.environ, "GOCACHE": tap.path("go-cache")})
    made = tap.run(tap.TSTREAM, "record", "-q", "-m", "8M", "-e", "cpu-clock:u", "-F", os.environ.get("SAMPLES_HZ", "2000"),
                   "--call-graph", "dwarf", "-o", capture, "--", program, amount)
    tap.ok(not built.returncode and made.status == 0, f"{what}: recorded", built.stderr + made.err)
    compare(what, name, capture)
tap.done()
