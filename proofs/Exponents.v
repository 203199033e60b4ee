(* claims: thm-4.1 claim-c.5 claim-c.7 lem-4.2 lem-c.14 thm-4.3 rem-c.13 lem-4.5
   theorems: chain_4_1 chain_C_5 chain_C_7 chain_C_7_prose chain_C_6_prose chain_C_1_net
     chain_C_9_moves chain_C_9_f_moves chain_C_9_f_jump_sparse chain_C_9_g_flips chain_C_14
     chain_C_12_gradient chain_C_12_regret chain_C_13 chain_C_12_31_150 chain_C_12_29_150
     chain_C_12_last chain_C_12_coupling chain_4_3 chain_4_5

   The powers of the width that the proofs multiply out, factor by factor as in the library's table
   of chains: every product that comes to more than the paper prints. *)

From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

(* The product of powers of m with these exponents, and their sum. *)
Definition product (m : R) (exponents : list R) : R :=
  fold_right (fun p rest => Rpower m p * rest) 1 exponents.
Definition total (exponents : list R) : R := fold_right Rplus 0 exponents.

Lemma product_power m exponents : 0 < m -> product m exponents = Rpower m (total exponents).
Proof.
  intros Hm. induction exponents as [|p rest IH]; [simpl; now rewrite Rpower_O|].
  simpl. fold (product m rest) (total rest). now rewrite IH, Rpower_plus.
Qed.

(* A larger power passes every multiple of a smaller one. *)
Lemma larger_power C p q : 0 < C -> p < q ->
  exists M, 0 < M /\ forall m, m > M -> C * Rpower m p < Rpower m q.
Proof.
  intros HC Hpq. exists (Rpower C (/ (q - p))). split; [apply exp_pos|]. intros m Hm.
  assert (H0 : 0 < Rpower C (/ (q - p))) by apply exp_pos.
  replace q with (q - p + p) by ring. rewrite Rpower_plus.
  apply Rmult_lt_compat_r; [apply exp_pos|]. rewrite <- (exp_ln C) by exact HC.
  unfold Rpower in *. apply exp_increasing. apply ln_increasing in Hm; [|exact H0].
  rewrite ln_exp in Hm. apply Rmult_lt_reg_l with (/ (q - p)); [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. exact Hm.
Qed.

(* The product is m^derived, and no O(m^printed): it passes C m^printed for every constant C. *)
Definition outgrows (factors : list R) (derived printed : R) : Prop :=
  (forall m, 0 < m -> product m factors = Rpower m derived) /\
  forall C, 0 < C -> exists M, forall m, m > M -> C * Rpower m printed < product m factors.

(* A largest value m^derived that the printed power passes, whatever constant is allowed. *)
Definition falls_short (factors : list R) (derived printed : R) : Prop :=
  (forall m, 0 < m -> product m factors = Rpower m derived) /\
  forall C, 0 < C -> exists M, forall m, m > M -> C * product m factors < Rpower m printed.

(* The product is m^derived, the whole power that the statement denies. *)
Definition comes_to (factors : list R) (derived : R) : Prop :=
  forall m, 0 < m -> product m factors = Rpower m derived.

Lemma sum_outgrows factors derived printed :
  total factors = derived -> printed < derived -> outgrows factors derived printed.
Proof.
  intros <- Hp. split; [intros; now apply product_power|]. intros C HC.
  destruct (larger_power C _ _ HC Hp) as [M [HM H]]. exists M. intros m Hm.
  rewrite product_power by lra. now apply H.
Qed.

Lemma sum_falls_short factors derived printed :
  total factors = derived -> derived < printed -> falls_short factors derived printed.
Proof.
  intros <- Hp. split; [intros; now apply product_power|]. intros C HC.
  destruct (larger_power C _ _ HC Hp) as [M [HM H]]. exists M. intros m Hm.
  rewrite product_power by lra. now apply H.
Qed.

Ltac powers := (apply sum_outgrows || apply sum_falls_short); unfold total, fold_right; lra.

(* Theorem 4.1 and its parts: weight, times radius (or pre-activation), times flips. *)
Theorem chain_4_1 : outgrows [-(1/5); -(3/5); 9/10] (1/10) (-(1/10)).
Proof. powers. Qed.

Theorem chain_C_5 : outgrows [-(1/5); -(3/5); 9/10] (1/10) (-(1/10)).
Proof. powers. Qed.

Theorem chain_C_7 : outgrows [-(1/5); -(3/5); 9/10] (1/10) (-(1/10)).
Proof. powers. Qed.

Theorem chain_C_7_prose : outgrows [-(1/5); -(3/5); 9/10] (1/10) (-(3/10)).
Proof. powers. Qed.

Theorem chain_C_6_prose : outgrows [-(1/5)] (-(1/5)) (-(3/10)).
Proof. powers. Qed.

(* The width that the net needs is a power of d. *)
Theorem chain_C_1_net : outgrows [5] 5 3.
Proof. powers. Qed.

(* Lemma 4.2 and its proof, Lemma C.9: neurons, times radius, times weight, times the move. *)
Theorem chain_C_9_moves : outgrows [1; -(3/5)] (2/5) (1/5).
Proof. powers. Qed.

Theorem chain_C_9_f_moves : outgrows [-(1/5); 2/5; -(1)] (-(4/5)) (-(1)).
Proof. powers. Qed.

Theorem chain_C_9_f_jump_sparse : outgrows [-(1/5); 9/10; -(3/5)] (1/10) (-(1/5)).
Proof. powers. Qed.

Theorem chain_C_9_g_flips : outgrows [-(1/5); -(3/5); 1/2] (-(3/10)) (-(1/2)).
Proof. powers. Qed.

(* Lemma C.14: weight, times flips. *)
Theorem chain_C_14 : outgrows [-(1/5); 7/8] (27/40) (27/50).
Proof. powers. Qed.

(* Theorem 4.3 = C.12 and Remark C.13: m a_r^2; step times it; step, times weight; and the rest of
   the printed proof. *)
Theorem chain_C_12_gradient : outgrows [3/5] (3/5) (1/5).
Proof. powers. Qed.

Theorem chain_C_12_regret : outgrows [-(1/5); 3/5] (2/5) 0.
Proof. powers. Qed.

Theorem chain_C_13 : outgrows [-(1/5); -(1/5)] (-(2/5)) (-(5/8)).
Proof. powers. Qed.

Theorem chain_C_12_31_150 : outgrows [27/50; -(1/5)] (17/50) (31/150).
Proof. powers. Qed.

Theorem chain_C_12_29_150 : outgrows [27/50; -(3/5)] (-(3/50)) (-(29/150)).
Proof. powers. Qed.

Theorem chain_C_12_last : outgrows [-(1/5); 31/150] (1/150) 0.
Proof. powers. Qed.

Theorem chain_C_12_coupling : outgrows [-(1/5); 7/8; -(3/5)] (3/40) 0.
Proof. powers. Qed.

(* The largest step size that keeps the regret bounded, and the printed one. *)
Theorem chain_4_3 : falls_short [-(3/5)] (-(3/5)) (-(1/5)).
Proof. powers. Qed.

(* Lemma 4.5: Q_0 is of the order m, times m^0; the rest is in Lemma45.v. *)
Theorem chain_4_5 : comes_to [1; 0] 1.
Proof.
  intros m Hm. rewrite product_power by exact Hm. f_equal. unfold total, fold_right. lra.
Qed.
